import { Anchor, MultiSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { api, body, binaryBody } from '../../api/client';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { BankKind, Settings } from '../../api/types';
import { percentToWire } from '../../messages/amount';
import { paths } from '../../paths';
import type { Currency } from '../../shared/countries';
import { ALL_CURRENCIES } from '../../shared/currencies';
import { useScrollToHash } from '../../shared/useScrollToHash';
import { TimeZoneSelect } from '../../shared/geo/TimeZoneSelect';
import { orNull } from '../../shared/validators';
import { LogoField } from '../../shared/settings/LogoField';
import { AmountInput } from '../../ui/AmountInput';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { FieldPair } from '../../ui/FormModal';
import { PageHeader } from '../../ui/PageHeader';
import { SettingsState } from '../../ui/Settings';
import { toast } from '../../ui/toasts';
import { FourEyesCard } from './settings/FourEyesCard';
import { SettingsCard } from './settings/SettingsCard';
import { TestMail } from './settings/TestMail';
import { HolidaysCard } from './HolidaysCard';
import classes from './settings/settings.module.css';

/** Office settings; each card saves by itself. */
export function Component() {
  const { t } = useTranslation('admin');
  const { data, error, refetch } = useQuery(queries.settings());
  return (
    <>
      <PageHeader title={t('settings.title')} text={t('settings.text')} />
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()} rows={8}>
        {(settings) => (
          <div className={classes.columns}>
            <SectionIndex />
            <Stack gap="md" className={classes.cards}>
              <Brand settings={settings} />
              <People settings={settings} />
              <BillingCard settings={settings} />
              <Mail settings={settings} />
              <Orders settings={settings} />
              <FourEyesCard settings={settings} />
              <HolidaysCard />
              <Storage settings={settings} />
            </Stack>
          </div>
        )}
      </SettingsState>
    </>
  );
}

/** Links to the cards, in their order. */
function SectionIndex() {
  const { t } = useTranslation('admin');
  useScrollToHash();
  const sections = {
    brand: t('settings.brand'),
    people: t('settings.people'),
    billing: t('settings.billing'),
    mail: t('settings.mail'),
    orders: t('settings.orders'),
    'four-eyes': t('four_eyes.title'),
    holidays: t('holidays.title'),
    storage: t('settings.storage'),
  };
  return (
    <nav aria-label={t('settings.sections')} className={classes.index}>
      <ul>
        {Object.entries(sections).map(([id, name]) => (
          <li key={id}>
            <Link
              to={{ hash: id }}
              onClick={() => document.getElementById(id)?.focus({ preventScroll: true })}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface Props {
  settings: Settings;
}

/** An empty field is unset, as with [orNull]. */
const numberOrNull = (text: string) => (text.trim() ? Number(text) : null);
const any = (values: Record<string, string>) => Object.values(values).some((value) => value.trim());

function Brand({ settings }: Props) {
  const { t } = useTranslation('admin');
  return (
    <SettingsCard
      id="brand"
      title={t('settings.brand')}
      settings={settings}
      above={<Logo settings={settings} />}
      valuesOf={(of) => ({ brand_name: of.system?.brand_name ?? '' })}
      changeOf={(values) => ({ brand_name: orNull(values.brand_name) })}
    >
      {(form) => (
        <TextInput
          size="sm"
          label={t('settings.brand_name')}
          description={t('settings.brand_name_text')}
          placeholder="SPV Portal"
          key={form.key('brand_name')}
          {...form.getInputProps('brand_name')}
        />
      )}
    </SettingsCard>
  );
}

/** Office logo: portal headers and mails. */
function Logo({ settings }: Props) {
  const { t } = useTranslation('admin');
  return (
    <LogoField
      src={settings.logo}
      label={t('settings.logo')}
      alt={t('settings.logo')}
      text={t('settings.logo_text')}
      save={(file) => body(api.PUT('/rest/v1/settings/logo', binaryBody(file)))}
      remove={() => body(api.DELETE('/rest/v1/settings/logo'))}
      invalidates="settings"
      onSaved={(saved) => {
        queryClient.setQueryData(queries.settings().queryKey, saved);
        toast({ title: t('settings.saved'), description: t('settings.saved_text') });
      }}
    />
  );
}

function People({ settings }: Props) {
  const { t } = useTranslation(['admin', 'names']);
  return (
    <SettingsCard
      id="people"
      title={t('settings.people')}
      settings={settings}
      valuesOf={(of) => ({
        representative: {
          name: of.representative?.name ?? '',
          email: of.representative?.email ?? '',
          phone: of.representative?.phone ?? '',
        },
        support_email: of.support_email ?? '',
        support_phone: of.support_phone ?? '',
      })}
      changeOf={({ representative, support_email, support_phone }) => ({
        representative: any(representative)
          ? { ...representative, phone: orNull(representative.phone) }
          : null,
        support_email: orNull(support_email),
        support_phone: orNull(support_phone),
      })}
    >
      {(form) => (
        <>
          <TextInput
            size="sm"
            label={t('settings.representative')}
            description={t('settings.representative_text')}
            {...form.getInputProps('representative.name')}
          />
          <FieldPair>
            <TextInput
              size="sm"
              type="email"
              label={t('settings.representative_email')}
              {...form.getInputProps('representative.email')}
            />
            <TextInput
              size="sm"
              type="tel"
              label={t('settings.representative_phone')}
              {...form.getInputProps('representative.phone')}
            />
          </FieldPair>
          <FieldPair>
            <TextInput
              size="sm"
              type="email"
              label={t('settings.support_email')}
              {...form.getInputProps('support_email')}
            />
            <TextInput
              size="sm"
              type="tel"
              label={t('settings.support_phone')}
              {...form.getInputProps('support_phone')}
            />
          </FieldPair>
        </>
      )}
    </SettingsCard>
  );
}

const BANK_KINDS: BankKind[] = ['iban', 'aba', 'other'];

/** Whether a field of the bank account is filled. */
function hasAccount({ kind, ...bank }: { kind: BankKind } & Record<string, string>): boolean {
  return kind !== 'other' || any(bank);
}

function BillingCard({ settings }: Props) {
  const { t } = useTranslation(['admin', 'names']);
  return (
    <SettingsCard
      id="billing"
      title={t('settings.billing')}
      settings={settings}
      valuesOf={({ billing: of }) => ({
        billing: {
          legal_name: of?.legal_name ?? '',
          address: of?.address ?? '',
          tax_id: of?.tax_id ?? '',
          due_days: of?.due_days?.toString() ?? '',
          payment_terms: of?.payment_terms ?? '',
          tax_name: of?.tax_name ?? '',
          tax_percent: of?.tax_percent ?? '',
          tax_rounding: of?.tax_rounding ?? 'line',
          reverse_charge_text: of?.reverse_charge_text ?? '',
          bank: {
            kind: of?.bank?.kind ?? ('other' as BankKind),
            account_holder: of?.bank?.account_holder ?? '',
            bank_name: of?.bank?.bank_name ?? '',
            account_number: of?.bank?.account_number ?? '',
            bank_code: of?.bank?.bank_code ?? '',
          },
        },
      })}
      changeOf={({ billing: { bank, ...billing } }) => ({
        billing: {
          legal_name: orNull(billing.legal_name),
          address: orNull(billing.address),
          tax_id: orNull(billing.tax_id),
          due_days: numberOrNull(billing.due_days),
          payment_terms: orNull(billing.payment_terms),
          tax_name: orNull(billing.tax_name),
          tax_percent: billing.tax_percent.trim() ? percentToWire(billing.tax_percent) : null,
          tax_rounding: billing.tax_rounding,
          reverse_charge_text: orNull(billing.reverse_charge_text),
          bank: hasAccount(bank) ? { ...bank, bank_code: orNull(bank.bank_code) } : null,
        },
      })}
    >
      {(form) => (
        <>
          <FieldPair>
            <TextInput
              size="sm"
              label={t('names:field.legal_name')}
              {...form.getInputProps('billing.legal_name')}
            />
            <TextInput size="sm" label={t('names:field.tax_id')} {...form.getInputProps('billing.tax_id')} />
          </FieldPair>
          <FieldPair>
            <Textarea
              size="sm"
              autosize
              minRows={2}
              label={t('names:field.address')}
              {...form.getInputProps('billing.address')}
            />
            <Textarea
              size="sm"
              autosize
              minRows={2}
              label={t('names:field.payment_terms')}
              description={t('settings.payment_terms_text')}
              {...form.getInputProps('billing.payment_terms')}
            />
          </FieldPair>
          <FieldPair>
            <TextInput
              size="sm"
              label={t('names:field.tax_name')}
              placeholder={t('settings.tax_name_example')}
              {...form.getInputProps('billing.tax_name')}
            />
            <AmountInput
              unit="%"
              label={t('names:field.tax_percent')}
              description={t('settings.tax_percent_text')}
              {...form.getInputProps('billing.tax_percent')}
            />
          </FieldPair>
          <FieldPair>
            <ChoiceSelect
              label={t('names:field.tax_rounding')}
              choices={[
                { value: 'line', label: t('settings.tax_rounding_line') },
                { value: 'total', label: t('settings.tax_rounding_total') },
              ]}
              {...form.getInputProps('billing.tax_rounding')}
            />
            <TextInput
              size="sm"
              type="number"
              min={0}
              max={365}
              label={t('settings.due_days')}
              placeholder="14"
              {...form.getInputProps('billing.due_days')}
            />
          </FieldPair>
          <Textarea
            size="sm"
            autosize
            minRows={2}
            label={t('names:field.reverse_charge_text')}
            description={t('settings.reverse_charge_text')}
            {...form.getInputProps('billing.reverse_charge_text')}
          />
          <FieldPair>
            <TextInput
              size="sm"
              label={t('settings.account_holder')}
              {...form.getInputProps('billing.bank.account_holder')}
            />
            <TextInput
              size="sm"
              label={t('settings.bank_name')}
              {...form.getInputProps('billing.bank.bank_name')}
            />
          </FieldPair>
          <ChoiceSelect
            label={t('names:field.bank_kind')}
            choices={BANK_KINDS.map((value) => ({ value, label: t(`names:bank_kind.${value}`) }))}
            {...form.getInputProps('billing.bank.kind')}
          />
          <FieldPair>
            <TextInput
              size="sm"
              label={t('settings.account_number')}
              {...form.getInputProps('billing.bank.account_number')}
            />
            <TextInput
              size="sm"
              label={t('settings.bank_code')}
              {...form.getInputProps('billing.bank.bank_code')}
            />
          </FieldPair>
        </>
      )}
    </SettingsCard>
  );
}

function Mail({ settings }: Props) {
  const { t } = useTranslation('admin');
  return (
    <SettingsCard
      id="mail"
      title={t('settings.mail')}
      settings={settings}
      valuesOf={(of) => ({ mail_sender: of.system?.mail_sender ?? '' })}
      changeOf={(values) => ({ mail_sender: orNull(values.mail_sender) })}
      below={<TestMail />}
    >
      {(form) => (
        <TextInput
          size="sm"
          label={t('settings.mail_sender')}
          description={t('settings.mail_sender_text')}
          placeholder="SPV Portal <office@example.com>"
          {...form.getInputProps('mail_sender')}
        />
      )}
    </SettingsCard>
  );
}

function Orders({ settings }: Props) {
  const { t } = useTranslation(['admin', 'names']);
  return (
    <SettingsCard
      id="orders"
      title={t('settings.orders')}
      settings={settings}
      valuesOf={(of) => ({
        identifier_prefix: of.system?.identifier_prefix ?? '',
        default_currency: of.default_currency as Currency,
        currencies: of.currencies as string[],
        default_time_zone: of.system?.default_time_zone ?? '',
      })}
      changeOf={(values) => ({
        identifier_prefix: orNull(values.identifier_prefix),
        default_currency: values.default_currency,
        currencies: values.currencies as Currency[],
        default_time_zone: orNull(values.default_time_zone),
      })}
    >
      {(form) => (
        <>
          <FieldPair>
            <TextInput
              size="sm"
              label={t('settings.identifier_prefix')}
              description={t('settings.identifier_prefix_text')}
              placeholder="SPV-"
              {...form.getInputProps('identifier_prefix')}
            />
            <TimeZoneSelect
              label={t('settings.default_time_zone')}
              description={t('settings.default_time_zone_text')}
              {...form.getInputProps('default_time_zone')}
            />
          </FieldPair>
          <FieldPair>
            <ChoiceSelect
              label={t('settings.default_currency')}
              description={t('settings.default_currency_text')}
              choices={form.values.currencies.map((value) => ({ value: value as Currency, label: value }))}
              {...form.getInputProps('default_currency')}
            />
            <MultiSelect
              size="sm"
              searchable
              label={t('names:field.currencies')}
              description={t('settings.currencies_text')}
              data={ALL_CURRENCIES}
              {...form.getInputProps('currencies')}
            />
          </FieldPair>
          <p className={classes.link}>
            {t('settings.templates_text')}{' '}
            <Anchor component={Link} to={paths.employeeTemplates} fz="inherit" underline="always">
              {t('settings.templates')}
            </Anchor>
          </p>
        </>
      )}
    </SettingsCard>
  );
}

function Storage({ settings }: Props) {
  const { t } = useTranslation('admin');
  return (
    <SettingsCard
      id="storage"
      title={t('settings.storage')}
      settings={settings}
      valuesOf={(of) => ({
        storage_quota_gb: of.system?.storage_quota_gb?.toString() ?? '',
        retention: { activity_days: of.system?.retention.activity_days?.toString() ?? '' },
      })}
      changeOf={({ storage_quota_gb, retention }) => ({
        storage_quota_gb: numberOrNull(storage_quota_gb),
        retention: { activity_days: numberOrNull(retention.activity_days) },
      })}
    >
      {(form) => (
        <FieldPair>
          <TextInput
            size="sm"
            type="number"
            min={1}
            label={t('settings.storage_quota')}
            description={t('settings.storage_quota_text')}
            {...form.getInputProps('storage_quota_gb')}
          />
          <TextInput
            size="sm"
            type="number"
            min={190}
            max={3650}
            label={t('settings.activity_days')}
            description={t('settings.activity_days_text')}
            {...form.getInputProps('retention.activity_days')}
          />
        </FieldPair>
      )}
    </SettingsCard>
  );
}
