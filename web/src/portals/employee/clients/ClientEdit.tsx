import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queryClient } from '../../../api/cache';
import { queries } from '../../../api/queries';
import type { Client } from '../../../api/types';
import { IsoSelect, NO_ISO } from '../../../shared/selects';
import { orNull, required } from '../../../shared/validators';
import { FieldPair } from '../../../ui/FormModal';
import { PersonEdit } from '../records/PersonEdit';

const valuesOf = (client: Client) => ({
  first_name: client.first_name,
  last_name: client.last_name,
  phone: client.phone ?? '',
  address: client.address ?? '',
  iso_id: (client.iso_id ?? NO_ISO) as string | null,
});
type Values = ReturnType<typeof valuesOf>;

const save = ({ iso_id, phone, address, ...names }: Values, client: Client) =>
  body(
    api.PATCH('/rest/v1/clients/{id}', {
      params: versionedBody(client),
      body: {
        ...names,
        phone: orNull(phone),
        address: orNull(address),
        iso_id: iso_id === NO_ISO ? null : iso_id,
      },
    }),
  );

/** Corrects a client. */
export function ClientEdit({ client: opened, onClose }: { client: Client; onClose: () => void }) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  return (
    <PersonEdit
      title={t('clients.edit')}
      savedTitle={t('clients.updated')}
      row={opened}
      valuesOf={valuesOf}
      // The server cannot distinguish "no partner" from "not chosen yet".
      validate={({ iso_id }) => ({ iso_id: required(iso_id) })}
      save={save}
      load={() => queryClient.fetchQuery({ ...queries.client(opened.id), staleTime: 0 })}
      invalidates="client"
      onClose={onClose}
    >
      {(form, client) => (
        <>
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
        </>
      )}
    </PersonEdit>
  );
}
