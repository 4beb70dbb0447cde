import { Stack, Textarea, TextInput } from '@mantine/core';
import type { FormErrors, UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body, binaryBody, versionedBody } from '../../api/client';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { CompanySettings, CompanySettingsChange } from '../../api/types';
import { dateTime } from '../../messages/format';
import { languageNames, languages } from '../../messages/locale';
import { useLocale } from '../../messages/useLocale';
import { useCurrencies, currency as usual } from '../../shared/countries';
import { CountrySelect } from '../../shared/geo/CountrySelect';
import { TimeZoneSelect } from '../../shared/geo/TimeZoneSelect';
import { required } from '../../shared/validators';
import { EditCard } from '../../shared/settings/EditCard';
import { LogoField } from '../../shared/settings/LogoField';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { FieldPair } from '../../ui/FormModal';
import { PageHeader } from '../../ui/PageHeader';
import { SettingsState } from '../../ui/Settings';
import { toast } from '../../ui/toasts';
import { useCompany } from './companyContext';
import classes from './SettingsPage.module.css';

/** Company settings: profile, defaults of portal, mails and orders. Each card saves by itself. */
export function Component() {
  const { t } = useTranslation('company');
  const company = useCompany();
  const { data, error, refetch } = useQuery(queries.companySettings(company.id));
  return (
    <>
      <PageHeader title={t('settings.title')} text={t('settings.text')} />
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()} rows={6}>
        {(settings) => (
          <Stack key={settings.id} gap="md" className={classes.cards}>
            <Information settings={settings} />
            <Contact settings={settings} />
            <Regional settings={settings} />
          </Stack>
        )}
      </SettingsState>
    </>
  );
}

type Name = Exclude<keyof CompanySettingsChange, undefined>;
type Values = Partial<Record<Name, string>>;

interface CardProps {
  title: string;
  /** Name of the draft within the company. */
  name: string;
  settings: CompanySettings;
  /** Fields of this card. Empty values are cleared. */
  valuesOf: (settings: CompanySettings) => Values;
  validate?: (values: Values) => FormErrors;
  children: (field: (name: Name) => ReturnType<UseFormReturnType<Values>['getInputProps']>) => ReactNode;
  above?: ReactNode;
}

/** A card of company settings. */
function SettingsCard({ settings, name, children, ...card }: CardProps) {
  const { t } = useTranslation('company');
  return (
    <EditCard
      {...card}
      draft={`company ${settings.id} ${name}`}
      saveLabel={t('settings.save')}
      whole={settings}
      save={(values, version) =>
        body(
          api.PATCH('/rest/v1/companies/{id}/settings', {
            params: versionedBody({ id: settings.id, version }),
            body: values,
          }),
        )
      }
      invalidates="company"
      onSaved={(saved) => {
        queryClient.setQueryData(queries.companySettings(saved.id).queryKey, saved);
        toast({
          title: i18next.t('company:settings.saved'),
          description: i18next.t('company:settings.saved_text'),
        });
      }}
      load={() => queryClient.fetchQuery({ ...queries.companySettings(settings.id), staleTime: 0 })}
    >
      {(form) => children((field) => form.getInputProps(field))}
    </EditCard>
  );
}

const industries = ['technology', 'finance', 'healthcare', 'manufacturing'] as const;
const sizes = ['1-10', '11-50', '51-200', '201+'] as const;

function Information({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation(['company', 'names']);
  return (
    <SettingsCard
      title={t('settings.information')}
      name="information"
      settings={settings}
      // The server ignores an empty country.
      validate={({ country = '' }) => ({ country: required(country) })}
      valuesOf={(of) => ({
        name: of.name,
        legal_name: of.legal_name,
        country: of.country,
        tax_id: of.tax_id ?? '',
        industry: of.industry ?? '',
        size: of.size ?? '',
      })}
      above={<Logo settings={settings} />}
    >
      {(field) => (
        <>
          <FieldPair>
            <TextInput size="sm" label={t('settings.name')} required {...field('name')} />
            <TextInput size="sm" label={t('names:field.legal_name')} required {...field('legal_name')} />
          </FieldPair>
          <FieldPair>
            <CountrySelect label={t('settings.country')} {...field('country')} />
            <TextInput size="sm" label={t('names:field.tax_id')} {...field('tax_id')} />
          </FieldPair>
          <FieldPair>
            <ChoiceSelect
              label={t('names:field.industry')}
              placeholder={t('settings.not_set')}
              choices={industries.map((value) => ({ value, label: t(`industry.${value}`) }))}
              {...field('industry')}
            />
            <ChoiceSelect
              label={t('names:field.size')}
              placeholder={t('settings.not_set')}
              choices={sizes.map((value) => ({ value, label: t('settings.people', { range: value }) }))}
              {...field('size')}
            />
          </FieldPair>
        </>
      )}
    </SettingsCard>
  );
}

/** Company logo: sidebar and mail header. */
function Logo({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation('company');
  const params = { path: { id: settings.id } };
  return (
    <LogoField
      src={settings.logo}
      label={t('logo.label')}
      alt={t('logo.of', { name: settings.name })}
      text={t('logo.text')}
      save={(file) => body(api.PUT('/rest/v1/companies/{id}/logo', { params, ...binaryBody(file) }))}
      remove={() => body(api.DELETE('/rest/v1/companies/{id}/logo', { params }))}
      invalidates="company"
      onSaved={(saved) => {
        queryClient.setQueryData(queries.companySettings(saved.id).queryKey, saved);
        toast({ title: t('settings.saved'), description: t('settings.saved_text') });
      }}
    />
  );
}

function Contact({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation(['company', 'names']);
  return (
    <SettingsCard
      title={t('settings.contact')}
      name="contact"
      settings={settings}
      valuesOf={(of) => ({
        email: of.email ?? '',
        phone: of.phone ?? '',
        website: of.website ?? '',
        address: of.address ?? '',
      })}
    >
      {(field) => (
        <>
          <FieldPair>
            <TextInput size="sm" type="email" label={t('names:field.email')} {...field('email')} />
            <TextInput size="sm" type="tel" label={t('names:field.phone')} {...field('phone')} />
          </FieldPair>
          <TextInput
            size="sm"
            type="url"
            label={t('names:field.website')}
            placeholder="https://"
            {...field('website')}
          />
          <Textarea size="sm" autosize minRows={2} label={t('names:field.address')} {...field('address')} />
        </>
      )}
    </SettingsCard>
  );
}

function Regional({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation(['company', 'names', 'profile']);
  const { data: office } = useQuery(queries.settings());
  const currencies = useCurrencies(settings.currency);
  const [now] = useState(() => new Date().toISOString());
  // The example follows the saved format immediately.
  useLocale();
  return (
    <SettingsCard
      title={t('settings.regional')}
      name="regional"
      settings={settings}
      valuesOf={(of) => ({
        time_zone: of.time_zone,
        language: of.language,
        currency: of.currency ?? office?.default_currency ?? usual,
      })}
    >
      {(field) => (
        <>
          <FieldPair>
            <TimeZoneSelect
              label={t('names:field.time_zone')}
              description={t('settings.time_zone_text')}
              {...field('time_zone')}
            />
            <ChoiceSelect
              label={t('names:field.language')}
              description={t('settings.language_text')}
              choices={languages.map((value) => ({ value, label: languageNames[value] }))}
              {...field('language')}
            />
          </FieldPair>
          <ChoiceSelect
            label={t('names:field.currency')}
            description={t('settings.currency_text')}
            choices={currencies}
            {...field('currency')}
          />
          <p className={classes.example}>{t('profile:example', { example: dateTime(now) })}</p>
        </>
      )}
    </SettingsCard>
  );
}
