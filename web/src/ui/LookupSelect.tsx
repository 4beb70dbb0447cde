import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Choice } from './ChoiceSelect';
import { SearchSelect } from './SearchSelect';

interface Props {
  label: string;
  value?: string | null;
  onChange: (value: string | null) => void;
  /** Search results. */
  choices: Choice<string>[];
  /** Options belong to the previous search; the response is pending. */
  stale?: boolean;
  onSearch: (typed: string) => void;
  /** Label of the initial value. */
  initialLabel?: string;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
  placeholder?: string;
  /** Filter mode: hidden label, placeholder and clear button. */
  all?: string;
}

/** Search select with server-side search. */
export function LookupSelect(props: Props) {
  const { choices, stale, onSearch, initialLabel, value = null, onChange, all, label, ...field } = props;
  const { t } = useTranslation('common');
  const [picked, setPicked] = useState<Choice<string> | null>(
    value && initialLabel ? { value, label: initialLabel } : null,
  );
  const listed = choices.find((choice) => choice.value === value);
  const selected = listed ?? (picked?.value === value ? picked : undefined);
  return (
    <SearchSelect
      size="sm"
      value={value}
      data={selected && !listed ? [selected, ...choices] : choices}
      // The server has filtered already, on more than the label.
      filter={({ options }) => options}
      onSearchChange={(typed) => onSearch(typed === selected?.label ? '' : typed)}
      onChange={(next, option) => {
        setPicked(next && option ? { value: next, label: option.label } : null);
        onChange(next);
      }}
      nothingFoundMessage={t('no_options')}
      maxDropdownHeight={240}
      aria-busy={stale}
      {...field}
      {...(all === undefined
        ? { label }
        : {
            'aria-label': label,
            placeholder: all,
            clearable: true,
            clearButtonProps: { 'aria-label': t('clear_search') },
          })}
    />
  );
}
