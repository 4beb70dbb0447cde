import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { actBody } from '../../../api/approvals';
import { queryClient } from '../../../api/cache';
import { api, ifVersion } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Settings } from '../../../api/types';
import { amountToWire } from '../../../messages/amount';
import { toastWaiting } from '../../../shared/approvals/waiting';
import { WaitingNote } from '../../../shared/approvals/WaitingNote';
import { useCurrencies } from '../../../shared/countries';
import { EditCard } from '../../../shared/settings/EditCard';
import { AmountInput } from '../../../ui/AmountInput';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

const load = () => queryClient.fetchQuery({ ...queries.settings(), staleTime: 0 });

/** Which acts wait for a second super admin. Once it is on, a change of it waits, too. */
export function FourEyesCard({ settings }: { settings: Settings }) {
  const { t } = useTranslation(['admin', 'names']);
  const currencies = useCurrencies(settings.four_eyes?.payout_currency);
  return (
    <EditCard
      id="four-eyes"
      draft="settings four-eyes"
      title={t('four_eyes.title')}
      saveLabel={t('settings.save')}
      whole={settings}
      valuesOf={({ four_eyes: of, default_currency }) => ({
        four_eyes: {
          enabled: of?.enabled ?? false,
          payout_limit: of?.payout_limit ?? '',
          payout_currency: of?.payout_currency ?? default_currency,
        },
      })}
      save={async ({ four_eyes: { enabled, payout_limit, payout_currency } }, version) => {
        const limit = payout_limit.trim() ? amountToWire(payout_limit, payout_currency) : null;
        const rule = {
          enabled,
          payout_limit: limit,
          payout_currency: limit === null ? null : payout_currency,
        };
        const saved = await actBody<Settings>(
          api.PUT('/rest/v1/settings', { params: ifVersion(version), body: { four_eyes: rule } }),
        );
        if (saved) toast({ title: t('settings.saved'), description: t('settings.saved_text') });
        else toastWaiting();
        return saved ?? load();
      }}
      invalidates={['settings', 'approval']}
      onSaved={(saved) => queryClient.setQueryData(queries.settings().queryKey, saved)}
      load={load}
      above={<WaitingNote act="change_four_eyes" />}
    >
      {(form) => (
        <>
          <Switch
            label={t('four_eyes.enabled')}
            description={t('four_eyes.enabled_text')}
            {...form.getInputProps('four_eyes.enabled', { type: 'checkbox' })}
            error={form.errors['four_eyes']}
          />
          <FieldPair>
            <AmountInput
              unit={form.values.four_eyes.payout_currency}
              label={t('names:field.four_eyes.payout_limit')}
              description={t('four_eyes.payout_limit_text')}
              {...form.getInputProps('four_eyes.payout_limit')}
            />
            <ChoiceSelect
              label={t('names:field.four_eyes.payout_currency')}
              description={t('four_eyes.payout_currency_text')}
              choices={currencies}
              {...form.getInputProps('four_eyes.payout_currency')}
            />
          </FieldPair>
        </>
      )}
    </EditCard>
  );
}
