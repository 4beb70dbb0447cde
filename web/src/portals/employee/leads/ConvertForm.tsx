import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { Lead, NewClient } from '../../../api/types';
import { amountToWire } from '../../../messages/amount';
import { useCompanyCurrency } from '../../../shared/companies';
import { useCountries, type Country } from '../../../shared/countries';
import { useSave } from '../../../shared/useSave';
import { AmountInput } from '../../../ui/AmountInput';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

/** Terms of the first order; client and partner come from the lead. */
export function ConvertForm({ lead, onClose }: { lead: Lead; onClose: () => void }) {
  const { t } = useTranslation(['partners', 'employee', 'common', 'names']);
  const countries = useCountries();
  const name = `${lead.first_name} ${lead.last_name}`;
  const form = useForm({
    initialValues: {
      setup: 'quick' as NewClient['setup'],
      country: 'US' as Country,
      price: '',
      commission: '',
    },
  });
  const currency = useCompanyCurrency(lead.company_id);
  const save = useSave({
    form,
    save: (values: typeof form.values) =>
      body(
        api.POST('/rest/v1/leads/{id}/convert', {
          params: versionedBody(lead),
          body: {
            ...values,
            currency,
            price: amountToWire(values.price, currency),
            commission: amountToWire(values.commission, currency),
          },
        }),
      ),
    invalidates: ['lead', 'client', 'spv'],
    onSaved: () => {
      toast({ title: t('leads.convert.done'), description: name });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('leads.convert.title', { name })}
      text={t('leads.convert.text', { iso: lead.iso_name, company: lead.company_name })}
      size="md"
      submitLabel={t('leads.convert')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <FieldPair>
        <ChoiceSelect
          label={t('leads.setup')}
          choices={[
            { value: 'quick', label: t('employee:clients.quick') },
            { value: 'full', label: t('employee:clients.full') },
          ]}
          {...form.getInputProps('setup')}
        />
        <ChoiceSelect
          label={t('names:field.country')}
          choices={countries}
          {...form.getInputProps('country')}
        />
      </FieldPair>
      <FieldPair>
        <AmountInput
          unit={currency}
          label={t('names:field.price')}
          required
          {...form.getInputProps('price')}
        />
        <AmountInput
          unit={currency}
          label={t('names:field.commission')}
          required
          {...form.getInputProps('commission')}
        />
      </FieldPair>
    </FormModal>
  );
}
