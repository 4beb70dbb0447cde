import { Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCountries, type Country } from '../../../shared/countries';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { sizes, type Field } from './fields';

interface Props {
  field: Field;
  value: string;
  error?: string;
  onChange: (value: string) => void;
}

const inputs = {
  line: { maxLength: 200 },
  email: { type: 'email', maxLength: 254, autoCapitalize: 'none', spellCheck: false },
  phone: { type: 'tel', maxLength: 40 },
  website: { inputMode: 'url', maxLength: 200, autoCapitalize: 'none', spellCheck: false },
} as const;

export function ApplyField({ field: { name, kind, required, autoComplete }, value, error, onChange }: Props) {
  const { t } = useTranslation('public');
  const countries = useCountries();
  const common = { id: `apply-${name}`, label: t(`apply.field.${name}`), error, required };
  const typed = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);

  if (kind === 'country') {
    return (
      <ChoiceSelect<Country>
        {...common}
        choices={countries}
        value={(value || null) as Country | null}
        onChange={onChange}
        placeholder={t('apply.choose')}
      />
    );
  }
  if (kind === 'size') {
    return (
      <ChoiceSelect
        {...common}
        choices={sizes.map((size) => ({ value: size, label: t(`apply.size.${size}`) }))}
        value={(value || null) as (typeof sizes)[number] | null}
        onChange={onChange}
        placeholder={t('apply.choose')}
      />
    );
  }
  if (kind === 'text') {
    return (
      <Textarea
        {...common}
        description={t(`apply.hint.${name}`)}
        value={value}
        onChange={typed}
        rows={4}
        maxLength={5000}
      />
    );
  }
  return (
    <TextInput
      {...common}
      {...inputs[kind]}
      name={name}
      value={value}
      onChange={typed}
      autoComplete={autoComplete}
    />
  );
}
