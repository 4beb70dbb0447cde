import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import { toast } from '../../ui/toasts';
import { useSave } from '../useSave';

/** Maintenance state and its end. */
export function useMaintenance() {
  const { t } = useTranslation('users');
  const { data, error, refetch } = useQuery(queries.settings());
  const end = useSave({
    save: () => body(api.DELETE('/rest/v1/maintenance')),
    invalidates: 'maintenance',
    onSaved: () => {
      toast({ title: t('maintenance.ended') });
    },
  });
  return { settings: data, error, refetch, maintenance: data?.maintenance ?? null, end };
}
