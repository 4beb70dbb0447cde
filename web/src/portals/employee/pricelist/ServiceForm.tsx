import { Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders, versionedBody } from '../../../api/client';
import type { Service } from '../../../api/types';
import { amountToWire } from '../../../messages/amount';
import { useOfficeCurrency } from '../../../shared/companies';
import { useCountries, useCurrencies, type Country } from '../../../shared/countries';
import { filingFee } from '../../../shared/services/filingFee';
import { useSave } from '../../../shared/useSave';
import { AmountInput } from '../../../ui/AmountInput';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FieldPair, FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

/** Adds a service to the price list, or changes one. */
export function ServiceForm({ service, onClose }: { service?: Service; onClose: () => void }) {
  const { t } = useTranslation(['employee', 'names', 'common']);
  const usual = useOfficeCurrency();
  const countries = useCountries();
  const currencies = useCurrencies(service?.currency);
  const form = useForm({
    initialValues: {
      name: service?.name ?? '',
      country: service?.country ?? ('US' as Country),
      currency: service?.currency ?? null,
      price: service?.price ?? '',
      filing_fee: service ? filingFee(service) : '',
      active: service?.active ?? true,
    },
  });
  const currency = form.values.currency ?? usual;
  const save = useSave({
    form,
    save: (values: typeof form.values, key) => {
      const input = {
        ...values,
        currency,
        price: amountToWire(values.price, currency),
        filing_fee: amountToWire(values.filing_fee, currency),
      };
      return service
        ? body(api.PATCH('/rest/v1/services/{id}', { params: versionedBody(service), body: input }))
        : body(api.POST('/rest/v1/services', { params: idempotencyHeaders(key), body: input }));
    },
    invalidates: 'service',
    onSaved: ({ name }) => {
      toast({ title: t(service ? 'services.saved' : 'services.added'), description: name });
      onClose();
    },
  });
  return (
    <FormModal
      title={service ? t('services.edit_of', { name: service.name }) : t('services.add')}
      text={t('services.form_text')}
      submitLabel={service ? t('common:save') : t('services.add')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        size="sm"
        label={t('names:field.name')}
        required
        data-autofocus
        maxLength={120}
        {...form.getInputProps('name')}
      />
      <FieldPair>
        <ChoiceSelect
          label={t('names:field.country')}
          choices={countries}
          {...form.getInputProps('country')}
        />
        <ChoiceSelect
          label={t('names:field.currency')}
          choices={currencies}
          {...form.getInputProps('currency')}
          value={currency}
        />
      </FieldPair>
      <FieldPair>
        <AmountInput unit={currency} label={t('services.price')} required {...form.getInputProps('price')} />
        <AmountInput
          unit={currency}
          label={t('names:field.filing_fee')}
          description={t('services.filing_fee_text')}
          {...form.getInputProps('filing_fee')}
        />
      </FieldPair>
      <Switch
        label={t('services.offered')}
        description={t('services.offered_text')}
        {...form.getInputProps('active', { type: 'checkbox' })}
      />
    </FormModal>
  );
}
