import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Choice } from './ChoiceSelect';
import { SearchSelect } from './SearchSelect';

interface Props {
  label: string;
  value?: string | null;
  onChange: (value: string | null) => void;
  /** What the server found for what was typed. */
  choices: Choice<string>[];
  /** The choices are those of other words: their answer is on its way. */
  old?: boolean;
  onSearch: (typed: string) => void;
  /** The label of a value that was there from the start. */
  initialLabel?: string;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
  /** A filter: its label is read, not shown, this stands in its place, and the choice can be taken away. */
  all?: string;
}

/** One row out of many, found by typing. */
export function LookupSelect(props: Props) {
  const { choices, old, onSearch, initialLabel, value = null, onChange, all, label, ...field } = props;
  const { t } = useTranslation('common');
  const [picked, setPicked] = useState<Choice<string> | null>(
    value && initialLabel ? { value, label: initialLabel } : null,
  );
  const missing =
    picked && picked.value === value && !choices.some((choice) => choice.value === picked.value);
  return (
    <SearchSelect
      size="sm"
      value={value}
      data={missing ? [picked, ...choices] : choices}
      // The server has searched already, in more than the label.
      filter={({ options }) => options}
      onSearchChange={(typed) => onSearch(typed === picked?.label ? '' : typed)}
      onChange={(next, option) => {
        setPicked(next && option ? { value: next, label: option.label } : null);
        onChange(next);
      }}
      nothingFoundMessage={t('no_options')}
      maxDropdownHeight={240}
      aria-busy={old}
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
