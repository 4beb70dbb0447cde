import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queryClient } from '../../../api/cache';
import { queries } from '../../../api/queries';
import type { Client, ClientChange } from '../../../api/types';
import { IsoSelect, NO_ISO } from '../../../shared/selects';
import { orNull, required } from '../../../shared/validators';
import { useVersionConflict } from '../../../shared/StaleProblem';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

const valuesOf = (client: Client) => ({
  first_name: client.first_name,
  last_name: client.last_name,
  phone: client.phone ?? '',
  address: client.address ?? '',
  iso_id: (client.iso_id ?? NO_ISO) as string | null,
});

export function ClientEdit({ client: opened, onClose }: { client: Client; onClose: () => void }) {
  const { t } = useTranslation(['employee', 'common']);
  const [client, setClient] = useState(opened);
  const stale = useVersionConflict();
  const missing = useRequiredFieldsMessage();
  const form = useForm({
    initialValues: valuesOf(opened),
    // The server cannot distinguish "no partner" from "not chosen yet".
    validate: { iso_id: required },
  });
  const save = useSave({
    form,
    save: (change: ClientChange) =>
      body(api.PATCH('/rest/v1/clients/{id}', { params: versionedBody(client), body: change })),
    invalidates: 'client',
    onSaved: () => {
      toast({
        title: t('clients.updated'),
        description: `${form.values.first_name} ${form.values.last_name}`,
      });
      onClose();
    },
    explain: stale.explain,
  });
  const reload = async () => {
    const newest = await queryClient.fetchQuery({ ...queries.client(client.id), staleTime: 0 });
    setClient(newest);
    stale.forget();
    form.setInitialValues(valuesOf(newest));
    form.reset();
  };
  const submit = form.onSubmit(
    ({ iso_id, phone, address, ...names }) =>
      save.mutate({
        ...names,
        phone: orNull(phone),
        address: orNull(address),
        iso_id: iso_id === NO_ISO ? null : iso_id,
      }),
    missing,
  );
  return (
    <FormModal
      title={t('clients.edit')}
      text={client.email}
      submitLabel={t('common:save')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      problem={stale.problem(reload)}
      onSubmit={submit}
      onClose={onClose}
    >
      <FieldPair>
        <TextInput
          size="sm"
          label={t('names:field.first_name')}
          required
          data-autofocus
          {...form.getInputProps('first_name')}
        />
        <TextInput
          size="sm"
          label={t('names:field.last_name')}
          required
          {...form.getInputProps('last_name')}
        />
      </FieldPair>
      <FieldPair>
        <TextInput size="sm" type="tel" label={t('names:field.phone')} {...form.getInputProps('phone')} />
        <TextInput size="sm" label={t('names:field.address')} {...form.getInputProps('address')} />
      </FieldPair>
      <IsoSelect
        key={client.version}
        companyId={client.company_id}
        label={t('names:field.iso_id')}
        description={t('clients.iso_later')}
        required
        initialLabel={client.iso_name ?? t('common:no_iso')}
        {...form.getInputProps('iso_id')}
      />
    </FormModal>
  );
}
