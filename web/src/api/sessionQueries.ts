import { queryOptions } from '@tanstack/react-query';
import { api, body } from './client';
import { firstSettings } from './publicSettings';

/** Query options that every page needs. Apart from [queries], so that sign-in does not load those of the portals. */
export const meQuery = () =>
  queryOptions({
    queryKey: ['me'],
    queryFn: ({ signal }) => body(api.GET('/rest/v1/me', { signal })),
    staleTime: 60_000,
  });

export const settingsQuery = () =>
  queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => firstSettings() ?? body(api.GET('/rest/v1/settings', { signal })),
    staleTime: 300_000,
  });
