import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { useLocale } from '../../messages/useLocale';
import type { Choice } from '../../ui/ChoiceSelect';
import { SearchSelect } from '../../ui/SearchSelect';

interface Field {
  label: string;
  value?: string;
  onChange: (code: string) => void;
  error?: ReactNode;
}

const namedCountries = ['US', 'CA', 'GB'];
const namedStates = ['US-CA', 'US-NY', 'US-TX'];

/** Country select: localized, common ones first. */
export function CountrySelect(field: Field) {
  const { language } = useLocale();
  const { data } = useQuery(queries.places());
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const choices = (data?.items ?? [])
    .map(({ code }) => ({ value: code, label: names.of(code) ?? code }))
    .toSorted((a, b) => a.label.localeCompare(b.label, language));
  return <PlaceSelect {...field} choices={choices} named={namedCountries} />;
}

/** State select; countries without states have no choices. */
export function StateSelect({ country, ...field }: Field & { country: string }) {
  const { t } = useTranslation('profile');
  const { data } = useQuery({ ...queries.places(country), enabled: country !== '' });
  const choices = (data?.items ?? []).map(({ code, name }) => ({ value: code, label: name ?? code }));
  const none = data?.items.length === 0;
  return (
    <PlaceSelect
      {...field}
      choices={choices}
      named={namedStates}
      disabled={country === '' || none}
      placeholder={none ? t('places.none') : undefined}
    />
  );
}

interface Props extends Field {
  choices: Choice<string>[];
  named: string[];
  disabled?: boolean;
  placeholder?: string;
}

function PlaceSelect({ choices, named, value, onChange, ...field }: Props) {
  const { t } = useTranslation(['profile', 'common']);
  const first = named.flatMap((code) => choices.filter((choice) => choice.value === code));
  const rest = choices.filter((choice) => !named.includes(choice.value));
  return (
    <SearchSelect
      size="sm"
      clearable
      clearButtonProps={{ 'aria-label': `${t('common:clear_search')}: ${field.label}` }}
      value={value || null}
      data={
        first.length > 0
          ? [
              { group: t('group.common'), items: first },
              { group: t('group.all'), items: rest },
            ]
          : rest
      }
      onChange={(code) => onChange(code ?? '')}
      nothingFoundMessage={t('common:no_options')}
      maxDropdownHeight={280}
      {...field}
    />
  );
}
