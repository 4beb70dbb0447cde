import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody, idempotencyHeaders } from '../../../api/client';
import { queryClient } from '../../../api/cache';
import { queries } from '../../../api/queries';
import type { Company, NewCompany, Request } from '../../../api/types';
import { useFormDraft } from '../../../shared/drafts';
import { applicantValue } from '../../../shared/requests/applicationFields';
import { orNull } from '../../../shared/validators';
import { useVersionConflict } from '../../../shared/StaleProblem';
import { useSave } from '../../../shared/useSave';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

const valuesOf = (company: Company | null, request?: Request) => ({
  name: company?.name ?? applicantValue(request, 'name'),
  business_name: company?.business_name ?? applicantValue(request, 'business_name'),
  email: company?.email ?? request?.email ?? '',
  phone: company?.phone ?? applicantValue(request, 'phone'),
  logo_url: company?.logo_url ?? '',
});

interface Props {
  company: Company | null;
  /** The application that a new company approves; its sender becomes the first admin. */
  request?: Request;
  onClose: () => void;
}

/** Creates or edits a company. */
export function CompanyForm({ company: opened, request, onClose }: Props) {
  const { t } = useTranslation(['employee', 'common']);
  const [company, setCompany] = useState(opened);
  const stale = useVersionConflict();
  const form = useForm({
    initialValues: valuesOf(opened, request),
  });
  useFormDraft(opened ? null : `company ${request?.id ?? ''}`, form);
  const save = useSave({
    form,
    save: (values: NewCompany, key) =>
      company
        ? body(api.PATCH('/rest/v1/companies/{id}', { params: versionedBody(company), body: values }))
        : body(
            api.POST('/rest/v1/companies', {
              params: idempotencyHeaders(key),
              body: { ...values, request_id: request?.id },
            }),
          ),
    invalidates: ['company', 'request'],
    onSaved: (saved) => {
      toast({ title: company ? t('company.updated') : t('company.created'), description: saved.name });
      onClose();
    },
    explain: stale.explain,
  });
  const reload = async (id: string) => {
    const newest = await queryClient.fetchQuery({ ...queries.company(id), staleTime: 0 });
    setCompany(newest);
    stale.forget();
    form.setInitialValues(valuesOf(newest));
    form.reset();
  };
  const submit = form.onSubmit(({ name, business_name, email, phone, logo_url }) =>
    save.mutate({
      name,
      business_name,
      email: orNull(email),
      phone: orNull(phone),
      logo_url: orNull(logo_url),
    }),
  );
  return (
    <FormModal
      title={company ? t('company.edit_title') : t('company.create_title')}
      text={request && t('company.admin_too', { name: request.name })}
      submitLabel={company ? t('common:save') : t('company.create')}
      busyLabel={company ? t('common:saving') : t('creating')}
      busy={save.isPending}
      dirty={form.isDirty()}
      problem={company && stale.problem(() => reload(company.id))}
      onSubmit={submit}
      onClose={onClose}
    >
      <FieldPair>
        <TextInput
          size="sm"
          label={t('names:field.name')}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          size="sm"
          label={t('names:field.business_name')}
          required
          {...form.getInputProps('business_name')}
        />
      </FieldPair>
      <FieldPair>
        <TextInput size="sm" type="email" label={t('names:field.email')} {...form.getInputProps('email')} />
        <TextInput size="sm" type="tel" label={t('names:field.phone')} {...form.getInputProps('phone')} />
      </FieldPair>
      <TextInput
        size="sm"
        type="url"
        label={t('names:field.logo_url')}
        placeholder="https://"
        {...form.getInputProps('logo_url')}
      />
    </FormModal>
  );
}
