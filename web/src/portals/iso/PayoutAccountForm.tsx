import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, ifVersion } from '../../api/client';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { AccountFacts } from '../../shared/payouts/AccountFacts';
import { useSave } from '../../shared/useSave';
import { orNull } from '../../shared/validators';
import { useUnsaved } from '../../ui/unsavedChanges';
import { BusyButton } from '../../ui/BusyButton';
import { ErrorState } from '../../ui/ErrorState';
import { FieldPair } from '../../ui/FormModal';
import { toast } from '../../ui/toasts';

/** Bank account for payouts: shown masked, replaced as a whole, and confirmed by the office. */
export function PayoutAccountForm({ isoId }: { isoId: string }) {
  const { t } = useTranslation(['partners', 'common', 'names']);
  const { data: account, error, refetch } = useQuery(queries.isoAccount(isoId));
  const [editing, setEditing] = useState(false);
  const form = useForm({
    initialValues: {
      kind: 'iban',
      account_holder: '',
      iban: '',
      account_number: '',
      routing_number: '',
      bic: '',
    },
  });
  const save = useSave({
    form,
    save: ({ kind, ...values }: typeof form.values) =>
      body(
        api.PUT('/rest/v1/isos/{id}/account', {
          params: { path: { id: isoId }, ...ifVersion(account?.version ?? 0) },
          body: {
            account_holder: values.account_holder,
            bic: orNull(values.bic),
            ...(kind === 'iban'
              ? { iban: values.iban }
              : { account_number: values.account_number, routing_number: values.routing_number }),
          },
        }),
      ),
    invalidates: 'iso',
    onSaved: () => {
      form.reset();
      setEditing(false);
      toast({ title: t('account.saved'), description: t('account.saved_text') });
    },
  });
  useUnsaved(form.isDirty() && !save.isPending);
  const field = (
    name: 'account_holder' | 'iban' | 'account_number' | 'routing_number' | 'bic',
    needed = false,
  ) => (
    <TextInput
      size="sm"
      autoComplete="off"
      label={t(`names:field.${name}`)}
      required={needed}
      {...form.getInputProps(name)}
    />
  );
  if (error && account === undefined)
    return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (account === undefined) return null;
  const label = t(account ? 'account.replace' : 'account.enter');
  if (!editing) {
    return (
      <Stack gap="md" align="flex-start">
        <AccountFacts account={account} />
        <Button variant="default" onClick={() => setEditing(true)}>
          {label}
        </Button>
      </Stack>
    );
  }
  const cancel = () => {
    form.reset();
    setEditing(false);
  };
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="md">
        {account && <AccountFacts account={account} />}
        <SegmentedControl
          size="sm"
          aria-label={t('account.kind')}
          data={[
            { value: 'iban', label: t('account.kind_iban') },
            { value: 'number', label: t('account.kind_number') },
          ]}
          {...form.getInputProps('kind')}
        />
        <FieldPair>
          {field('account_holder', true)}
          {field('bic')}
        </FieldPair>
        {form.values.kind === 'iban' ? (
          field('iban', true)
        ) : (
          <FieldPair>
            {field('account_number', true)}
            {field('routing_number', true)}
          </FieldPair>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            {t('common:cancel')}
          </Button>
          <BusyButton type="submit" busy={save.isPending} label={label} busyLabel={t('common:saving')} />
        </Group>
      </Stack>
    </form>
  );
}
