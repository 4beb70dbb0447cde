import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ApiError, errorText } from '../api/errors';

export function isStale(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'stale';
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
