import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isStatus } from './errors';

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A record that is gone, or no longer the user's, must not stay on the screen.
    onError: (error, query) => {
      if (isStatus(error, 404) && query.state.data !== undefined) query.setState({ data: undefined });
    },
  }),
  defaultOptions: {
    queries: {
      // Retry policy: 4xx is final; network errors and 5xx are retried.
      retry: (failures, error) =>
        failures < 3 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 30_000),
      gcTime: 300_000,
      staleTime: 10_000,
    },
  },
});
