import { Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody, idempotencyHeaders } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { Lead } from '../../../api/types';
import { date } from '../../../messages/format';
import { PersonFields } from '../../../shared/people/PersonFields';
import { useSave } from '../../../shared/useSave';
import { DateField } from '../../../ui/DateField';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

/** Creates or edits a lead. */
export function LeadForm({ lead, onClose }: { lead?: Lead; onClose: () => void }) {
  const { t } = useTranslation(['partners', 'common', 'names']);
  const form = useForm({
    initialValues: {
      first_name: lead?.first_name ?? '',
      last_name: lead?.last_name ?? '',
      email: lead?.email ?? '',
      phone: lead?.phone ?? '',
      organisation: lead?.organisation ?? '',
      next_step: lead?.next_step ?? '',
      next_step_date: lead?.next_step_date ?? '',
      note: lead?.note ?? '',
    },
  });
  const save = useSave({
    form,
    save: (values: typeof form.values, key) =>
      lead
        ? body(api.PATCH('/rest/v1/leads/{id}', { params: versionedBody(lead), body: values }))
        : body(api.POST('/rest/v1/leads', { params: idempotencyHeaders(key), body: values })),
    invalidates: 'lead',
    onSaved: (saved) => {
      toast(
        lead
          ? { title: t('leads.edit.done'), description: `${saved.first_name} ${saved.last_name}` }
          : {
              title: t('leads.add.done'),
              description: t('leads.add.done_text', { until: date(saved.protected_until) }),
            },
      );
      onClose();
    },
    explain: (error) => {
      if (error.code !== 'lead_taken') return false;
      form.setErrors({ email: errorText(error) });
      return true;
    },
  });
  const name = lead && `${lead.first_name} ${lead.last_name}`;
  return (
    <FormModal
      title={lead ? t('leads.edit.title', { name }) : t('add_lead')}
      text={lead ? undefined : t('leads.add.text')}
      submitLabel={lead ? t('common:save') : t('leads.add.submit')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <PersonFields form={form} autofocus />
      <TextInput size="sm" label={t('names:field.organisation')} {...form.getInputProps('organisation')} />
      <FieldPair>
        <TextInput size="sm" label={t('names:field.next_step')} {...form.getInputProps('next_step')} />
        <DateField
          presets="due"
          label={t('names:field.next_step_date')}
          {...form.getInputProps('next_step_date')}
        />
      </FieldPair>
      <Textarea label={t('names:field.note')} autosize minRows={2} {...form.getInputProps('note')} />
    </FormModal>
  );
}
