import { Button } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/cache';
import { ApiError, errorText } from '../api/errors';

export function isStale(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'stale';
}

/** For a refusal without a form: whoever was slower sees next what it is by now. */
export function readAnew(queryKey: QueryKey): (problem: ApiError) => boolean {
  return (problem) => {
    if (isStale(problem)) void queryClient.invalidateQueries({ queryKey });
    return false;
  };
}

/** Someone else was faster: who and when, and a way to their version. */
export function StaleProblem({ error, onReload }: { error: ApiError; onReload: () => void }) {
  const { t } = useTranslation('common');
  return (
    <>
      {errorText(error)}{' '}
      <Button size="compact-xs" variant="default" onClick={onReload}>
        {t('reload')}
      </Button>
    </>
  );
}
