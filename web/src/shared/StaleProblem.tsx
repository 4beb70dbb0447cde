import { Button } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/cache';
import { ApiError, errorText } from '../api/errors';

function isVersionConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'stale';
}

/** For a refusal without a form: whoever was slower sees next what it is by now. */
export function refetchAll(queryKey: QueryKey): (problem: ApiError) => boolean {
  return (problem) => {
    if (isVersionConflict(problem)) void queryClient.invalidateQueries({ queryKey });
    return false;
  };
}

interface VersionConflict {
  /** For [useSave]. */
  explain: (error: ApiError) => boolean;
  /** What the form says, if that is why it was refused. */
  problem: (reload: () => unknown) => ReactNode;
  /** The newest version is there. */
  forget: () => void;
}

/** For a form that is refused because somebody else was faster. */
export function useVersionConflict(): VersionConflict {
  const [error, setError] = useState<ApiError | null>(null);
  return {
    explain: (refusal) => {
      if (isVersionConflict(refusal)) setError(refusal);
      return isVersionConflict(refusal);
    },
    problem: (reload) => error && <VersionConflictAlert error={error} onReload={() => void reload()} />,
    forget: () => setError(null),
  };
}

/** Someone else was faster: who and when, and a way to their version. */
function VersionConflictAlert({ error, onReload }: { error: ApiError; onReload: () => void }) {
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
