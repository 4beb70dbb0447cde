import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { errorText, type ApiError } from '../../../api/errors';
import type { NewClient, Request } from '../../../api/types';
import { amountToWire } from '../../../messages/amount';
import { todayInUserZone } from '../../../messages/format';
import { useFormDraft } from '../../../shared/drafts';
import { CompanySelect, IsoSelect, NO_ISO } from '../../../shared/selects';
import { applicantValue } from '../../../shared/requests/applicationFields';
import { filingFee } from '../../../shared/services/filingFee';
import { ServiceSelect } from '../../../shared/services/ServiceSelect';
import { orNull, required } from '../../../shared/validators';
import { useSave } from '../../../shared/useSave';
import { AmountInput } from '../../../ui/AmountInput';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { DateField } from '../../../ui/DateField';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import { useCompanyCurrency } from '../../../shared/companies';
import { useCountries, type Country, type Currency } from '../../../shared/countries';

export type Setup = NewClient['setup'];

interface Props {
  setup: Setup;
  /** The application that this client approves. */
  request?: Request;
  onClose: () => void;
  /** The email belongs to an existing client. Not for applications, which an order does not approve. */
  onOrderInstead?: (clientId: string) => void;
}

/** Quick Setup and Full Setup: create a client with a first order. They differ in the mail and account state. */
export function ClientForm({ setup, request, onClose, onOrderInstead }: Props) {
  const { t } = useTranslation(['employee', 'common']);
  const countries = useCountries();
  const [existingClientError, setExistingClientError] = useState<ApiError | null>(null);
  const form = useForm({
    initialValues: {
      first_name: applicantValue(request, 'first_name'),
      last_name: applicantValue(request, 'last_name'),
      email: request?.email ?? '',
      phone: applicantValue(request, 'phone'),
      address: '',
      company_id: null as string | null,
      iso_id: null as string | null,
      country: (applicantValue(request, 'country') || 'US') as Country,
      service: '',
      // The currency of the chosen service.
      currency: null as Currency | null,
      price: '',
      filing_fee: '',
      commission: '',
      ordered_date: todayInUserZone(),
    },
  });
  useFormDraft(`client ${setup} ${request?.id ?? ''}`, form);
  const { company_id, iso_id } = form.values;
  const withIso = iso_id !== null && iso_id !== NO_ISO;

  const usual = useCompanyCurrency(company_id);
  const currency = form.values.currency ?? usual;
  const save = useSave({
    form: {
      setErrors: (errors) =>
        form.setErrors(
          iso_id ? errors : { ...errors, company_id: required(company_id), iso_id: required(iso_id) },
        ),
    },
    save: (client: NewClient, key) =>
      body(api.POST('/rest/v1/clients', { params: idempotencyHeaders(key), body: client })),
    invalidates: ['client', 'spv', 'request'],
    onSaved: () => {
      toast({ title: t('clients.created'), description: t(`clients.created_${setup}`) });
      onClose();
    },
    explain: (error) => {
      if (error.code !== 'email_taken') return false;
      form.setErrors({ email: errorText(error) });
      setExistingClientError(error);
      return typeof error.params.client_id === 'string';
    },
  });

  const submit = form.onSubmit((values) => {
    setExistingClientError(null);
    save.mutate({
      setup,
      request_id: request?.id,
      first_name: values.first_name,
      last_name: values.last_name,
      email: values.email,
      phone: orNull(values.phone),
      address: orNull(values.address),
      // The server reports all errors at once but cannot distinguish "no partner" from "not chosen yet": until a choice
      // no company is sent, so nothing is created.
      company_id: (values.iso_id && values.company_id) ?? '',
      iso_id: withIso ? values.iso_id : null,
      country: values.country,
      currency,
      price: amountToWire(values.price, currency),
      ...(values.filing_fee.trim() && { filing_fee: amountToWire(values.filing_fee, currency) }),
      ...(values.ordered_date && { ordered_date: values.ordered_date }),
      ...(withIso && { commission: amountToWire(values.commission, currency) }),
    });
  });

  const clientId = existingClientError?.params.client_id;
  return (
    <FormModal
      title={t(`clients.${setup}`)}
      text={
        <>
          {t(`clients.${setup}_text`)}
          {applicantValue(request, 'company') && (
            <> {t('clients.acts_for', { company: applicantValue(request, 'company') })}</>
          )}
        </>
      }
      submitLabel={t('clients.create')}
      busyLabel={t('creating')}
      busy={save.isPending}
      dirty={form.isDirty()}
      problem={
        onOrderInstead &&
        typeof clientId === 'string' && (
          <>
            {t('clients.taken')}{' '}
            <Button size="compact-xs" variant="default" onClick={() => onOrderInstead(clientId)}>
              {t('clients.order_instead')}
            </Button>
          </>
        )
      }
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
      <TextInput
        size="sm"
        type="email"
        label={t('names:field.email')}
        required
        {...form.getInputProps('email')}
      />
      <FieldPair>
        <TextInput size="sm" type="tel" label={t('names:field.phone')} {...form.getInputProps('phone')} />
        <TextInput size="sm" label={t('names:field.address')} {...form.getInputProps('address')} />
      </FieldPair>
      <FieldPair>
        <CompanySelect
          label={t('names:field.company_id')}
          required
          {...form.getInputProps('company_id')}
          onChange={(company_id) => {
            // Not setValues, which clears the errors of all other fields.
            form.setFieldValue('company_id', company_id);
            form.setFieldValue('iso_id', null);
          }}
        />
        <IsoSelect
          // Another company has other partners, so the search and selection are reset.
          key={form.values.company_id}
          companyId={form.values.company_id}
          label={t('names:field.iso_id')}
          required
          {...form.getInputProps('iso_id')}
        />
      </FieldPair>
      <FieldPair>
        <ChoiceSelect
          label={t('names:field.country')}
          choices={countries}
          {...form.getInputProps('country')}
        />
        <DateField presets="past" label={t('spvs.ordered')} {...form.getInputProps('ordered_date')} />
      </FieldPair>
      <ServiceSelect
        country={form.values.country}
        value={form.values.service}
        onChange={(id, service) => {
          form.setFieldValue('service', id);
          form.setFieldValue('currency', service?.currency ?? null);
          form.setFieldValue('price', service?.price ?? '');
          form.setFieldValue('filing_fee', service ? filingFee(service) : '');
        }}
      />
      <FieldPair>
        <AmountInput
          unit={currency}
          label={t('names:field.price')}
          required
          {...form.getInputProps('price')}
        />
        <AmountInput
          unit={currency}
          label={t('names:field.filing_fee')}
          description={t('spvs.filing_fee_text')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('filing_fee')}
        />
      </FieldPair>
      {withIso && (
        <AmountInput
          unit={currency}
          label={t('names:field.commission')}
          required
          {...form.getInputProps('commission')}
        />
      )}
    </FormModal>
  );
}
