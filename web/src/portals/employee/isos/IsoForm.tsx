import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import type { NewIso, Request } from '../../../api/types';
import { useFormDraft } from '../../../shared/drafts';
import { applicantValue } from '../../../shared/requests/applicationFields';
import { CompanySelect } from '../../../shared/selects';
import { PersonFields } from '../../../shared/people/PersonFields';
import { orNull } from '../../../shared/validators';
import { useSave } from '../../../shared/useSave';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

/** `request`: the application that this partner approves. */
export function IsoForm({ request, onClose }: { request?: Request; onClose: () => void }) {
  const { t } = useTranslation('employee');
  const form = useForm({
    initialValues: {
      first_name: applicantValue(request, 'first_name'),
      last_name: applicantValue(request, 'last_name'),
      email: request?.email ?? '',
      phone: applicantValue(request, 'phone'),
      company_id: null as string | null,
    },
  });
  useFormDraft(`iso ${request?.id ?? ''}`, form);
  const save = useSave({
    form,
    save: (iso: NewIso, key) =>
      body(api.POST('/rest/v1/isos', { params: idempotencyHeaders(key), body: iso })),
    invalidates: ['iso', 'request'],
    onSaved: (iso) => {
      toast({ title: t('iso.created'), description: `${iso.first_name} ${iso.last_name}` });
      onClose();
    },
  });
  const submit = form.onSubmit(({ phone, company_id, ...rest }) =>
    save.mutate({
      ...rest,
      phone: orNull(phone),
      company_id: company_id ?? '',
      request_id: request?.id,
    }),
  );
  return (
    <FormModal
      title={t('iso.create_title')}
      text={t('iso.create_text')}
      submitLabel={t('iso.create')}
      busyLabel={t('creating')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={submit}
      onClose={onClose}
    >
      <PersonFields form={form} autofocus />
      <CompanySelect label={t('names:field.company_id')} required {...form.getInputProps('company_id')} />
    </FormModal>
  );
}
