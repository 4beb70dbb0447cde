import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { useCountries } from '../../../shared/countries';
import { useParam } from '../../../shared/queryParams';
import { useUnsaved } from '../../../ui/unsavedChanges';
import { ChoiceFilter } from '../../../ui/ChoiceFilter';
import { PageHeader } from '../../../ui/PageHeader';
import { ErrorState } from '../../../ui/ErrorState';
import { TemplateEditor } from './TemplateEditor';

/** Step templates by country: staff read, super admins edit. */
export function Component() {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const countries = useCountries();
  const [countryParam, setCountry] = useParam('country');
  const [dirty, setDirty] = useState(false);
  const country = countries.find(({ value }) => value === countryParam)?.value ?? 'US';
  const { data: templates, error, refetch } = useQuery(queries.templates());
  useUnsaved(dirty);
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
            onChange={setCountry}
          />
        }
      />
      {error && !templates && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!templates && !error && <Skeleton height={420} radius="md" />}
      {template && <TemplateEditor key={country} template={template} onDirty={setDirty} />}
    </>
  );
}
