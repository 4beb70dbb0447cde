import type { UseFormReturnType } from '@mantine/form';
import i18next from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { doneBody } from '../../../api/approvals';
import { queryClient } from '../../../api/cache';
import { api, ifVersion } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Settings, SettingsChange } from '../../../api/types';
import { EditCard } from '../../../shared/settings/EditCard';
import { toast } from '../../../ui/toasts';

interface Props<Values> {
  id: string;
  title: string;
  settings: Settings;
  /** Fields of this card. */
  valuesOf: (settings: Settings) => Values;
  /** Request body of the fields. */
  changeOf: (values: Values) => SettingsChange;
  above?: ReactNode;
  below?: ReactNode;
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

/** A card of office settings. */
export function SettingsCard<Values extends object>({ settings, changeOf, ...card }: Props<Values>) {
  const { t } = useTranslation('admin');
  return (
    <EditCard
      {...card}
      draft={`settings ${card.id}`}
      saveLabel={t('settings.save')}
      whole={settings}
      save={(values, version) =>
        doneBody<Settings>(
          api.PUT('/rest/v1/settings', {
            params: ifVersion(version),
            body: changeOf(values),
          }),
        )
      }
      invalidates="settings"
      onSaved={(saved) => {
        queryClient.setQueryData(queries.settings().queryKey, saved);
        toast({
          title: i18next.t('admin:settings.saved'),
          description: i18next.t('admin:settings.saved_text'),
        });
      }}
      load={() => queryClient.fetchQuery({ ...queries.settings(), staleTime: 0 })}
    />
  );
}
