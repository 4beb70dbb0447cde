import { Button, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { amountToWire } from '../../../messages/amount';
import { paths, successPath } from '../../../paths';
import { useCompanyCurrency } from '../../../shared/companies';
import { useCountries, useCurrencies, type Country, type Currency } from '../../../shared/countries';
import { useFormDraft } from '../../../shared/drafts';
import { ServiceSelect } from '../../../shared/services/ServiceSelect';
import { useMe } from '../../../shared/session/me';
import { useAttachments } from '../../../shared/documents/useAttachments';
import { UploadArea } from '../../../shared/documents/UploadArea';
import type { Target } from '../../../shared/documents/uploads';
import { useUnsaved } from '../../../ui/unsavedChanges';
import { useSave } from '../../../shared/useSave';
import { AmountInput } from '../../../ui/AmountInput';
import { BusyButton } from '../../../ui/BusyButton';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FieldPair } from '../../../ui/FormModal';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';
import { TwoColumns } from '../../../ui/TwoColumns';
import { Crumb } from '../../../shared/shell/Crumb';
import classes from './NewOrderPage.module.css';

/** Order request form of a client. */
export function Component() {
  const { t } = useTranslation('requests');
  return (
    <>
      <PageHeader
        title={t('form.title')}
        text={t('form.text')}
        trail={<Crumb to={paths.clientOrders}>{t('client:nav.orders')}</Crumb>}
      />
      <TwoColumns main={<OrderForm />} side={<NextSteps />} />
    </>
  );
}

function NextSteps() {
  const { t } = useTranslation('requests');
  return (
    <Section title={t('form.next')}>
      <ol className={classes.next}>
        <li>{t('form.next_1')}</li>
        <li>{t('form.next_2')}</li>
        <li>{t('form.next_3')}</li>
      </ol>
    </Section>
  );
}

const asField = 'order.';
/** Attachments, which move to the order on acceptance. */
const files: Target = { attach: 'order request' };

function OrderForm() {
  const { t } = useTranslation(['requests', 'names']);
  const navigate = useNavigate();
  const countries = useCountries();
  const attached = useAttachments(files);
  const form = useForm({
    initialValues: {
      purpose: '',
      country: 'US' as Country,
      service_id: '',
      // The version whose price is shown.
      service_version: null as number | null,
      first: '',
      second: '',
      third: '',
      purchase_amount: '',
      currency: null as Currency | null,
    },
  });
  const usual = useCompanyCurrency(useMe().company?.id);
  const currency = form.values.currency ?? usual;
  const currencies = useCurrencies();
  const save = useSave({
    form: {
      setErrors: (errors) =>
        form.setErrors(
          Object.fromEntries(
            Object.entries(errors).map(([name, words]) => {
              const field = name.startsWith(asField) ? name.slice(asField.length) : name;
              return [field === 'proposed_names' ? 'first' : field, words];
            }),
          ),
        ),
    },
    save: async (values: typeof form.values, key) => {
      const startedAt = performance.now();
      const document_ids = attached.ids;
      const made = await body(
        api.POST('/rest/v1/requests', {
          params: idempotencyHeaders(key),
          body: {
            kind: 'order',
            order: {
              country: values.country,
              service_id: values.service_id || null,
              service_version: values.service_version,
              purpose: values.purpose,
              // The primary choice is required.
              proposed_names: values.first.trim() ? [values.first, values.second, values.third] : [],
              purchase_amount: amountToWire(values.purchase_amount, currency),
              currency,
              document_ids,
            },
          },
        }),
      );
      return { reference: made.reference, milliseconds: performance.now() - startedAt, document_ids };
    },
    invalidates: 'request',
    onSaved: ({ reference, milliseconds, document_ids }) => {
      attached.clear(document_ids);
      void navigate(successPath({ redirect: paths.clientOrders, reference, milliseconds }));
    },
  });
  useFormDraft('order request', form);
  useUnsaved(form.isDirty() && !save.isPending);
  const submit = form.onSubmit((values) => save.mutate(values));

  return (
    <Section title={t('form.section')}>
      <form className={classes.form} onSubmit={submit} noValidate>
        <Textarea
          label={t('form.purpose')}
          description={t('form.purpose_text')}
          required
          autosize
          minRows={3}
          {...form.getInputProps('purpose')}
        />
        <ChoiceSelect
          label={t('names:field.country')}
          choices={countries}
          {...form.getInputProps('country')}
        />
        <ServiceSelect
          country={form.values.country}
          value={form.values.service_id}
          onChange={(id, service) => {
            form.setFieldValue('service_id', id);
            form.setFieldValue('service_version', service?.version ?? null);
          }}
          error={form.errors.service_id}
        />
        <fieldset className={classes.names}>
          <legend>{t('form.names')}</legend>
          <p className={classes.hint}>{t('form.names_text')}</p>
          <TextInput size="sm" label={t('form.first_name')} required {...form.getInputProps('first')} />
          <FieldPair>
            <TextInput size="sm" label={t('form.second_name')} {...form.getInputProps('second')} />
            <TextInput size="sm" label={t('form.third_name')} {...form.getInputProps('third')} />
          </FieldPair>
        </fieldset>
        <FieldPair>
          <AmountInput
            unit={currency}
            label={t('names:field.purchase_amount')}
            required
            {...form.getInputProps('purchase_amount')}
          />
          <ChoiceSelect
            label={t('names:field.currency')}
            choices={currencies}
            {...form.getInputProps('currency')}
            value={currency}
          />
        </FieldPair>
        <fieldset className={classes.names}>
          <legend>{t('form.documents')}</legend>
          <p className={classes.hint}>{t('form.documents_text')}</p>
          <UploadArea wholePage target={files} label={t('form.documents')} />
        </fieldset>
        <div className={classes.footer}>
          {/* On the left, because toasts are on the right. */}
          <BusyButton
            type="submit"
            busy={save.isPending}
            disabled={attached.busy}
            label={t('form.submit')}
            busyLabel={t('form.submitting')}
          />
          <Button component={Link} to={paths.clientOrders} variant="default">
            {t('form.cancel')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
