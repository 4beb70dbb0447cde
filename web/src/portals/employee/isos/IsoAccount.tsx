import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, ifVersion } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { PayoutAccount } from '../../../api/types';
import { AccountFacts } from '../../../shared/payouts/AccountFacts';
import { useSave } from '../../../shared/useSave';
import { ErrorState } from '../../../ui/ErrorState';
import { FormModal } from '../../../ui/FormModal';
import { Section } from '../../../ui/Section';
import { toast } from '../../../ui/toasts';

/** Bank account of a partner, which the staff confirm. */
export function IsoAccount({ id }: { id: string }) {
  const { t } = useTranslation('partners');
  const { data: account, error, refetch } = useQuery(queries.isoAccount(id));
  const [open, setOpen] = useState(false);
  if (error && account === undefined)
    return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (account === undefined) return null;
  return (
    <Section
      title={t('account.title')}
      actions={
        account?.can.includes('confirm') && (
          <Button size="compact-sm" onClick={() => setOpen(true)}>
            {t('account.confirm')}
          </Button>
        )
      }
    >
      <AccountFacts account={account} />
      {open && account && <ConfirmForm id={id} account={account} onClose={() => setOpen(false)} />}
    </Section>
  );
}

/** Confirmation by the number that the partner gave another way, such as by phone, so that a forged account does not match. */
function ConfirmForm({ id, account, onClose }: { id: string; account: PayoutAccount; onClose: () => void }) {
  const { t } = useTranslation(['partners', 'common']);
  const form = useForm({ initialValues: { number: '' } });
  const save = useSave({
    form,
    save: (values: typeof form.values) =>
      body(
        api.POST('/rest/v1/isos/{id}/account/confirm', {
          params: { path: { id }, ...ifVersion(account.version) },
          body: values,
        }),
      ),
    invalidates: 'iso',
    onSaved: () => {
      onClose();
      toast({ title: t('account.confirm_done'), description: account.account_holder });
    },
  });
  return (
    <FormModal
      title={t('account.confirm_title')}
      text={t('account.confirm_text')}
      size="md"
      submitLabel={t('account.confirm')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        size="sm"
        autoComplete="off"
        label={t('account.number')}
        required
        data-autofocus
        {...form.getInputProps('number')}
      />
    </FormModal>
  );
}
