import { Combobox, Input, InputBase, VisuallyHidden, useCombobox } from '@mantine/core';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import classes from './ChoiceSelect.module.css';

export interface Choice<Value extends string> {
  value: Value;
  label: string;
}

interface Props<Value extends string> {
  id?: string;
  label: string;
  /** Accessible name of the select. */
  name?: string;
  choices: Choice<Value>[];
  value?: Value | null;
  onChange: (value: Value) => void;
  placeholder?: string;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
}

const TYPE_AHEAD_RESET_MS = 1000;

/** Select with type-ahead. */
export function ChoiceSelect<Value extends string>({
  label,
  name,
  choices,
  value,
  onChange,
  placeholder,
  ...field
}: Props<Value>) {
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.updateSelectedOptionIndex('active'),
    onDropdownClose: () => combobox.resetSelectedOption(),
  });
  const typed = useRef('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const chosen = choices.findIndex((choice) => choice.value === value);

  const typeAhead = (event: KeyboardEvent) => {
    const letter = event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (!letter || (event.key === ' ' && !typed.current)) return;
    event.preventDefault();
    clearTimeout(timer.current);
    typed.current += event.key.toLowerCase();
    timer.current = setTimeout(() => {
      typed.current = '';
    }, TYPE_AHEAD_RESET_MS);
    const open = combobox.dropdownOpened;
    const from = Math.max(open ? combobox.getSelectedOptionIndex() : chosen, 0);
    const hit = nextMatch(choices, typed.current, from);
    const choice = choices[hit];
    if (!choice) return;
    if (open) combobox.selectOption(hit);
    else onChange(choice.value);
  };

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(picked) => {
        onChange(picked as Value);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target targetType="button">
        <InputBase
          component="button"
          type="button"
          pointer
          size="sm"
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          onClick={() => combobox.toggleDropdown()}
          onKeyDown={typeAhead}
          classNames={{ input: classes.chosen }}
          {...field}
          // No `aria-label`, which would replace the selected value in the accessible name.
          label={
            name ? (
              <>
                <span aria-hidden="true">{label}</span>
                <VisuallyHidden>{name}</VisuallyHidden>
              </>
            ) : (
              label
            )
          }
        >
          {choices[chosen]?.label ?? <Input.Placeholder>{placeholder}</Input.Placeholder>}
        </InputBase>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={name ?? label}>
          {choices.map((choice) => (
            <Combobox.Option key={choice.value} value={choice.value} active={choice.value === value}>
              {choice.label}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** Next option with the typed prefix; repeating a letter cycles. */
function nextMatch(choices: Choice<string>[], typed: string, from: number): number {
  const repeated = [...typed].every((letter) => letter === typed[0]);
  const needle = repeated ? typed.slice(0, 1) : typed;
  const order = choices.map((_, index) => (index + from + (needle.length === 1 ? 1 : 0)) % choices.length);
  return order.find((index) => choices[index]?.label.toLowerCase().startsWith(needle)) ?? -1;
}
