import { ActionIcon, Button, Menu, Popover } from '@mantine/core';
import { IconCheck, IconPlus, IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceButton } from '../ChoiceButton';
import type { Choice } from '../ChoiceSelect';
import classes from './FilterChips.module.css';

/** A filter of a list: a few choices, or a field to search in many. */
export interface GridFilter {
  key: string;
  label: string;
  choices?: Choice<string>[];
  /** Field for a value that is searched; `onChange` ends the choice. */
  field?: (value: string, onChange: (value: string) => void) => ReactNode;
  /** The field is wider than a choice. */
  wide?: boolean;
  /** Name of a value without a choice. */
  nameOf?: (value: string) => string | undefined;
}

interface Props {
  filters: GridFilter[];
  values: Record<string, string>;
  onChange: (key: string, value: string) => void;
  onClear: () => void;
}

/** Filters in use, as chips, and a menu for more. */
export function FilterChips({ filters, values, onChange, onClear }: Props) {
  const { t } = useTranslation('grid');
  const [added, setAdded] = useState<string | null>(null);
  const used = filters.filter(({ key }) => values[key] || key === added);
  const rest = filters.filter((filter) => !used.includes(filter));
  return (
    <div className={classes.chips} role="group" aria-label={t('filters')}>
      {used.map((filter) => (
        <Chip
          key={filter.key}
          filter={filter}
          value={values[filter.key] ?? ''}
          initiallyOpen={filter.key === added}
          onChange={(value) => {
            setAdded(null);
            onChange(filter.key, value);
          }}
          onClose={() => setAdded(null)}
        />
      ))}
      {rest.length > 0 && (
        <Menu position="bottom-start" width={200} returnFocus={false}>
          <Menu.Target>
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden="true" />}
            >
              {t('filter')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map(({ key, label }) => (
              <Menu.Item key={key} onClick={() => setAdded(key)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {used.length > 1 && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onClear}>
          {t('clear_filters')}
        </Button>
      )}
    </div>
  );
}

interface ChipProps {
  filter: GridFilter;
  value: string;
  initiallyOpen: boolean;
  onChange: (value: string) => void;
  onClose: () => void;
}

function Chip({ filter, value, initiallyOpen, onChange, onClose }: ChipProps) {
  const { t } = useTranslation('grid');
  const [open, setOpen] = useState(initiallyOpen);
  const { label, choices = [] } = filter;
  const name = choices.find((choice) => choice.value === value)?.label ?? filter.nameOf?.(value) ?? '…';
  const choose = (next: string) => {
    setOpen(false);
    onChange(next);
  };
  return (
    <Popover
      opened={open}
      position="bottom-start"
      trapFocus
      returnFocus
      width={filter.wide ? 'auto' : 240}
      onChange={(next) => {
        setOpen(next);
        if (!next) onClose();
      }}
    >
      <Popover.Target>
        <span className={classes.chip}>
          <button
            type="button"
            className={classes.value}
            aria-haspopup="dialog"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {value ? t('filter_is', { label, value: name }) : label}
          </button>
          {value && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={22}
              aria-label={t('remove_filter', { label })}
              onClick={() => onChange('')}
            >
              <IconX size={12} />
            </ActionIcon>
          )}
        </span>
      </Popover.Target>
      <Popover.Dropdown
        p={filter.field ? 'xs' : 4}
        className={filter.field ? undefined : classes.choices}
        aria-label={label}
      >
        {filter.field
          ? filter.field(value, choose)
          : choices.map((choice) => (
              <ChoiceButton
                key={choice.value}
                chosen={choice.value === value}
                onChoose={() => choose(choice.value)}
              >
                {choice.label}
                {choice.value === value && <IconCheck size={14} aria-hidden="true" />}
              </ChoiceButton>
            ))}
      </Popover.Dropdown>
    </Popover>
  );
}
