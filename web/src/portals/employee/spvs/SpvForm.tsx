import { Loader, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Client, NewSpv, SpvDetail } from '../../../api/types';
import { amountToWire, percentToWire } from '../../../messages/amount';
import { todayInUserZone } from '../../../messages/format';
import { useFormDraft } from '../../../shared/drafts';
import { ClientSelect, CompanySelect, IsoSelect, NO_ISO } from '../../../shared/selects';
import { required } from '../../../shared/validators';
import { filingFee } from '../../../shared/services/filingFee';
import { ServiceSelect } from '../../../shared/services/ServiceSelect';
import { useSave } from '../../../shared/useSave';
import { AmountInput } from '../../../ui/AmountInput';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { DateField } from '../../../ui/DateField';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { ErrorState } from '../../../ui/ErrorState';
import { toast } from '../../../ui/toasts';
import { useCompanyCurrency } from '../../../shared/companies';
import { useCountries, type Country, type Currency } from '../../../shared/countries';
import { Dialog } from '../../../ui/Dialog';

interface Props {
  /** Preset client of the order. */
  clientId?: string;
  onClose: () => void;
  onCreated: (spv: SpvDetail) => void;
}

/** Create order form. */
export function SpvForm({ clientId, onClose, onCreated }: Props) {
  const { t } = useTranslation('employee');
  const form = {
    title: t('spvs.create'),
    submitLabel: t('spvs.create_submit'),
    onClose,
    save: (terms: OrderTerms, client_id: string, key: string) =>
      body(api.POST('/rest/v1/spvs', { params: idempotencyHeaders(key), body: { client_id, ...terms } })),
    onSaved: (spv: SpvDetail) => {
      toast({ title: t('spvs.created'), description: spv.identifier });
      onCreated(spv);
    },
  };
  return clientId ? <ClientSpvForm clientId={clientId} {...form} /> : <Form {...form} />;
}

/** Order fields without the client. */
type OrderTerms = Omit<NewSpv, 'client_id'>;

interface FormProps<Result> {
  title: string;
  text?: string;
  submitLabel: string;
  client?: Client;
  /** Hides the client field: the order belongs to this client. */
  clientIsFixed?: boolean;
  /** Initial values. */
  known?: Partial<
    Pick<NewSpv, 'purchase_amount' | 'vehicle_name' | 'price' | 'filing_fee'> & {
      country: Country;
      currency: Currency;
    }
  >;
  save: (terms: OrderTerms, clientId: string, key: string) => Promise<Result>;
  onSaved: (result: Result) => void;
  onClose: () => void;
}

/** Order form of a client with company and partner preset. */
export function ClientSpvForm<Result>({ clientId, ...props }: FormProps<Result> & { clientId: string }) {
  const { data: client, error, refetch } = useQuery(queries.client(clientId));
  if (client) return <Form client={client} {...props} />;
  return (
    <Dialog onClose={props.onClose} title={props.title}>
      {error ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Loader size="sm" />
      )}
    </Dialog>
  );
}

function Form<Result>({ client, known, title, text, submitLabel, ...props }: FormProps<Result>) {
  const { t } = useTranslation(['employee', 'common']);
  const countries = useCountries();
  const form = useForm({
    initialValues: {
      company_id: client?.company_id ?? null,
      iso_id: (client && (client.iso_id ?? NO_ISO)) ?? null,
      client_id: client?.id ?? null,
      country: known?.country ?? ('US' as Country),
      purchase_amount: known?.purchase_amount ?? '',
      service: '',
      // The currency of the chosen service.
      currency: null as Currency | null,
      price: known?.price ?? '',
      filing_fee: known?.filing_fee ?? '',
      vehicle_name: known?.vehicle_name ?? '',
      custom_identifier: '',
      reference: '',
      iso_commission_percentage: '',
      ordered_date: todayInUserZone(),
    },
  });
  // No draft with a preset client: the names of its choices are given, so those of restored values would not be loaded.
  useFormDraft(client ? null : 'spv', form);
  const { company_id: companyId, iso_id: isoId } = form.values;
  const withIso = isoId !== null && isoId !== NO_ISO;
  const usual = useCompanyCurrency(companyId);
  const unit = known?.currency ?? form.values.currency ?? usual;

  const save = useSave({
    form: {
      setErrors: (errors) =>
        form.setErrors(
          isoId ? errors : { ...errors, company_id: required(companyId), iso_id: required(isoId) },
        ),
    },
    save: ({ client_id, ...terms }: NewSpv, key) => props.save(terms, client_id, key),
    invalidates: ['spv', 'request'],
    onSaved: (result) => {
      props.onSaved(result);
    },
  });
  const submit = form.onSubmit((values) => {
    const identifier = values.custom_identifier.trim();
    const rate = values.iso_commission_percentage.trim();
    const price = values.price.trim();
    const fee = values.filing_fee.trim();
    save.mutate({
      client_id: values.client_id ?? '',
      // The server reports all errors at once but cannot distinguish "no partner" from "not chosen yet": until a choice
      // no company is sent, so nothing is created.
      company_id: (values.iso_id && values.company_id) ?? '',
      iso_id: withIso ? values.iso_id : null,
      country: values.country,
      currency: unit,
      purchase_amount: amountToWire(values.purchase_amount, unit),
      ...(price && { price: amountToWire(price, unit) }),
      ...(fee && { filing_fee: amountToWire(fee, unit) }),
      vehicle_name: values.vehicle_name.trim(),
      ...(identifier && { custom_identifier: identifier }),
      reference: values.reference.trim(),
      ...(withIso && rate && { iso_commission_percentage: percentToWire(rate) }),
      ...(values.ordered_date && { ordered_date: values.ordered_date }),
    });
  });

  return (
    <FormModal
      title={title}
      text={text}
      submitLabel={submitLabel}
      busyLabel={t('creating')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <FieldPair>
        <CompanySelect
          disabled={props.clientIsFixed}
          label={t('names:field.company_id')}
          required
          initialLabel={client?.company_name ?? undefined}
          {...form.getInputProps('company_id')}
          onChange={(company_id) => {
            // Not setValues, which clears the errors of all other fields.
            form.setFieldValue('company_id', company_id);
            form.setFieldValue('iso_id', null);
            form.setFieldValue('client_id', null);
          }}
        />
        <IsoSelect
          key={`iso of ${companyId}`}
          companyId={companyId}
          label={t('names:field.iso_id')}
          required
          initialLabel={client ? (client.iso_name ?? t('common:no_iso')) : undefined}
          {...form.getInputProps('iso_id')}
        />
      </FieldPair>
      <ClientSelect
        key={`client of ${companyId}`}
        disabled={props.clientIsFixed}
        companyId={companyId}
        label={t('names:field.client_id')}
        required
        initialLabel={client && `${client.first_name} ${client.last_name} (${client.email})`}
        {...form.getInputProps('client_id')}
      />
      <TextInput
        size="sm"
        label={t('names:field.vehicle_name')}
        maxLength={200}
        {...form.getInputProps('vehicle_name')}
      />
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
        currency={known?.currency}
        value={form.values.service}
        onChange={(id, service) => {
          form.setFieldValue('service', id);
          form.setFieldValue('currency', service?.currency ?? null);
          form.setFieldValue('price', service?.price ?? '');
          form.setFieldValue('filing_fee', service ? filingFee(service) : '');
        }}
      />
      <AmountInput
        unit={unit}
        label={t('names:field.purchase_amount')}
        required
        {...form.getInputProps('purchase_amount')}
      />
      <FieldPair>
        <AmountInput
          unit={unit}
          label={t('names:field.price')}
          description={t('spvs.price_text')}
          {...form.getInputProps('price')}
        />
        <AmountInput
          unit={unit}
          label={t('names:field.filing_fee')}
          description={t('spvs.filing_fee_text')}
          {...form.getInputProps('filing_fee')}
        />
      </FieldPair>
      {withIso && (
        <AmountInput
          unit="%"
          label={t('names:field.iso_commission_percentage')}
          {...form.getInputProps('iso_commission_percentage')}
        />
      )}
      <FieldPair>
        <TextInput
          size="sm"
          label={t('names:field.custom_identifier')}
          description={t('spvs.identifier_text')}
          {...form.getInputProps('custom_identifier')}
        />
        <TextInput
          size="sm"
          label={t('names:field.reference')}
          description={t('spvs.reference_text')}
          maxLength={64}
          {...form.getInputProps('reference')}
        />
      </FieldPair>
    </FormModal>
  );
}
