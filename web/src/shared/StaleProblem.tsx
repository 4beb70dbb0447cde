import { Button } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/cache';
import { ApiError, errorText } from '../api/errors';

function isVersionConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'stale';
}

/** On a version conflict outside of a form: refetches the row. */
export function refetchAll(queryKey: QueryKey): (problem: ApiError) => boolean {
  return (problem) => {
    if (isVersionConflict(problem)) void queryClient.invalidateQueries({ queryKey });
    return false;
  };
}

interface VersionConflict {
  /** Failure handler for [useSave]. */
  explain: (error: ApiError) => boolean;
  /** Conflict alert of the form, if any. */
  problem: (reload: () => unknown) => ReactNode;
  /** Called when the current version is loaded. */
  forget: () => void;
}

/** Version conflict (409) of a form. */
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

/** Shows who changed the row and when, with a button to load that version. */
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
