import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queryClient } from '../../../api/cache';
import { queries } from '../../../api/queries';
import type { Iso } from '../../../api/types';
import { CompanySelect } from '../../../shared/selects';
import { orNull, required } from '../../../shared/validators';
import { PersonEdit } from '../records/PersonEdit';

const valuesOf = (iso: Iso) => ({
  first_name: iso.first_name,
  last_name: iso.last_name,
  phone: iso.phone ?? '',
  company_id: iso.company_id as string | null,
});
type Values = ReturnType<typeof valuesOf>;

const save = ({ phone, ...values }: Values, iso: Iso) =>
  body(
    api.PATCH('/rest/v1/isos/{id}', {
      params: versionedBody(iso),
      body: { ...values, phone: orNull(phone) },
    }),
  );

/** Corrects an ISO partner. Its company can be changed only while it has no clients and orders. */
export function IsoEdit({ iso: opened, onClose }: { iso: Iso; onClose: () => void }) {
  const { t } = useTranslation(['employee', 'names']);
  const depends = useQuery(queries.iso(opened.id)).data?.depends;
  const inUse = depends ? depends.clients + depends.spvs > 0 : undefined;
  return (
    <PersonEdit
      title={t('iso.edit')}
      savedTitle={t('iso.updated')}
      row={opened}
      valuesOf={valuesOf}
      // The server cannot distinguish "no company" from "unchanged".
      validate={({ company_id }) => ({ company_id: required(company_id) })}
      save={save}
      load={() => queryClient.fetchQuery({ ...queries.iso(opened.id), staleTime: 0 })}
      invalidates="iso"
      onClose={onClose}
    >
      {(form, iso) => (
        <>
          <TextInput size="sm" type="tel" label={t('names:field.phone')} {...form.getInputProps('phone')} />
          <CompanySelect
            key={iso.version}
            label={t('names:field.company_id')}
            description={inUse && t('iso.company_stays')}
            required
            disabled={inUse !== false}
            initialLabel={iso.company_name}
            {...form.getInputProps('company_id')}
          />
        </>
      )}
    </PersonEdit>
  );
}
