import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queryClient } from '../../../api/cache';
import { queries } from '../../../api/queries';
import type { Iso, IsoChange } from '../../../api/types';
import { CompanySelect } from '../../../shared/selects';
import { orNull, required } from '../../../shared/validators';
import { useVersionConflict } from '../../../shared/StaleProblem';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

const valuesOf = (iso: Iso) => ({
  first_name: iso.first_name,
  last_name: iso.last_name,
  phone: iso.phone ?? '',
  company_id: iso.company_id as string | null,
});

/** Corrects an ISO partner. Its company can be changed only while it has no clients and orders. */
export function IsoEdit({ iso: opened, onClose }: { iso: Iso; onClose: () => void }) {
  const { t } = useTranslation(['employee', 'common']);
  const [iso, setIso] = useState(opened);
  const depends = useQuery(queries.iso(iso.id)).data?.depends;
  const inUse = depends ? depends.clients + depends.spvs > 0 : undefined;
  const stale = useVersionConflict();
  const missing = useRequiredFieldsMessage();
  const form = useForm({
    initialValues: valuesOf(opened),
    // The server cannot distinguish "no company" from "unchanged".
    validate: { company_id: required },
  });
  const save = useSave({
    form,
    save: (change: IsoChange) =>
      body(api.PATCH('/rest/v1/isos/{id}', { params: versionedBody(iso), body: change })),
    invalidates: 'iso',
    onSaved: (saved) => {
      toast({ title: t('iso.updated'), description: `${saved.first_name} ${saved.last_name}` });
      onClose();
    },
    explain: stale.explain,
  });
  const reload = async () => {
    const newest = await queryClient.fetchQuery({ ...queries.iso(iso.id), staleTime: 0 });
    setIso(newest);
    stale.forget();
    form.setInitialValues(valuesOf(newest));
    form.reset();
  };
  const submit = form.onSubmit(
    ({ phone, ...values }) => save.mutate({ ...values, phone: orNull(phone) }),
    missing,
  );
  return (
    <FormModal
      title={t('iso.edit')}
      text={iso.email}
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
    </FormModal>
  );
}
