import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { doneBody } from '../../../api/approvals';
import { queryClient } from '../../../api/cache';
import { api, ifVersion } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Settings, SettingsChange } from '../../../api/types';
import { refetchAll } from '../../../shared/StaleProblem';
import { useSave } from '../../../shared/useSave';
import { toast } from '../../../ui/toasts';

/** Security settings with an update based on their version. */
export function useSecuritySettings() {
  const { t } = useTranslation('users');
  const { data, error, refetch } = useQuery(queries.settings());
  const save = useSave({
    save: ({ version, change }: { version: number; change: SettingsChange }) =>
      doneBody<Settings>(
        api.PUT('/rest/v1/settings', {
          params: ifVersion(version),
          body: change,
        }),
      ),
    onSaved: (now) => {
      queryClient.setQueryData(queries.settings().queryKey, now);
      toast({ title: t('rules.saved'), description: t('rules.saved_text') });
    },
    invalidates: 'settings',
    explain: refetchAll(queries.settings().queryKey),
  });
  return { data, error: error && errorText(error), retry: () => void refetch(), save };
}
