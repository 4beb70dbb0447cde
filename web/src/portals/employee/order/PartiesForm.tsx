import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { SpvChange, SpvDetail } from '../../../api/types';
import { ClientSelect, CompanySelect, IsoSelect, NO_ISO } from '../../../shared/selects';
import { required } from '../../../shared/validators';
import { useRequiredFieldsMessage } from '../../../shared/useSave';
import { FormModal } from '../../../ui/FormModal';
import { useCorrection } from './useCorrection';

/** Client, company and ISO partner of an order, which belong together. */
export function PartiesForm({ spv, onClose }: { spv: SpvDetail; onClose: () => void }) {
  const { t } = useTranslation(['orders', 'names', 'common']);
  const form = useForm({
    initialValues: {
      company_id: spv.company_id as string | null,
      client_id: spv.client_id as string | null,
      iso_id: (spv.iso_id ?? NO_ISO) as string | null,
    },
    validate: { company_id: required, client_id: required, iso_id: required },
  });
  const missing = useRequiredFieldsMessage();
  const { submit, busy, dialog } = useCorrection({
    spv,
    field: 'client_id',
    label: t('parties.label'),
    form,
    onSaved: onClose,
    onLeave: () => undefined,
  });
  const { company_id: companyId } = form.values;
  const isSame = companyId === spv.company_id;
  const onSubmit = form.onSubmit((values) => {
    const change: SpvChange = {
      company_id: values.company_id ?? undefined,
      client_id: values.client_id ?? undefined,
      iso_id: values.iso_id === NO_ISO ? null : values.iso_id,
    };
    submit(change);
  }, missing);
  if (dialog) return dialog;
  return (
    <FormModal
      title={t('parties.title')}
      text={<Text size="sm">{t('parties.text')}</Text>}
      submitLabel={t('common:save')}
      busyLabel={t('common:saving')}
      busy={busy}
      dirty={form.isDirty()}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <CompanySelect
        label={t('names:field.company_id')}
        required
        initialLabel={spv.company_name}
        {...form.getInputProps('company_id')}
        onChange={(company) => {
          form.setValues({ company_id: company, client_id: null, iso_id: NO_ISO });
        }}
      />
      <ClientSelect
        key={`client of ${companyId}`}
        label={t('names:field.client_id')}
        required
        companyId={companyId}
        initialLabel={isSame ? `${spv.client_name} (${spv.client_email})` : undefined}
        {...form.getInputProps('client_id')}
      />
      <IsoSelect
        key={`iso of ${companyId}`}
        label={t('names:field.iso_id')}
        required
        companyId={companyId}
        initialLabel={isSame ? (spv.iso_name ?? undefined) : undefined}
        {...form.getInputProps('iso_id')}
      />
    </FormModal>
  );
}
