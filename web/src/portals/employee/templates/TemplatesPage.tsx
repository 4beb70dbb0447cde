import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { useCountries } from '../../../shared/countries';
import { useParam } from '../../../shared/queryParams';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { ChoiceFilter } from '../../../ui/ChoiceFilter';
import { PageHeader } from '../../../ui/PageHeader';
import { ErrorState } from '../../../ui/states';
import { TemplateEditor } from './TemplateEditor';

/** What orders begin with, by country. Staff read it, super admins change it. */
export function Component() {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const countries = useCountries();
  const [asked, setCountry] = useParam('country');
  const [dirty, setDirty] = useState(false);
  const [wanted, setWanted] = useState<string | null>(null);
  const country = countries.find(({ value }) => value === asked)?.value ?? 'US';
  const { data: templates, error, refetch } = useQuery(queries.templates());
  const template = templates?.items.find((one) => one.country === country);
  return (
    <>
      <PageHeader
        title={t('templates.title')}
        text={t('templates.text')}
        actions={
          <ChoiceFilter
            label={t('templates.country')}
            value={country}
            choices={countries}
            onChange={(value) => (dirty && value !== country ? setWanted(value) : setCountry(value))}
          />
        }
      />
      {error && !templates && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!templates && !error && <Skeleton height={420} radius="md" />}
      {template && <TemplateEditor key={country} template={template} onDirty={setDirty} />}
      {wanted !== null && (
        <ConfirmDialog
          title={t('common:discard')}
          confirmLabel={t('common:discard_yes')}
          busyLabel={t('common:discard_yes')}
          busy={false}
          danger
          onConfirm={() => {
            setDirty(false);
            setCountry(wanted);
            setWanted(null);
          }}
          onClose={() => setWanted(null)}
        >
          {template && t('templates.discard', { country: t(`names:country.${country}`) })}
        </ConfirmDialog>
      )}
    </>
  );
}
