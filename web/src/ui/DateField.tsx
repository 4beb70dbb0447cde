import { ActionIcon, Popover, Skeleton, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { lazy, Suspense, useRef, useState, type FocusEventHandler, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { date, localDateTime, todayInUserZone } from '../messages/format';
import { isDay, parseDay, parseDayTime } from '../messages/parseDay';
import type { DayPreset } from './DayPicker';
import classes from './DateField.module.css';

/** The calendar and its date library load when one is opened. */
const DayPicker = lazy(() => import('./DayPicker').then((part) => ({ default: part.DayPicker })));

interface Props {
  label: string;
  /** Wire format: `2026-11-15`, with `time` also `2026-11-15T15:30`. Text that is no date is kept as typed. */
  value?: string;
  onChange: (value: string) => void;
  onBlur?: FocusEventHandler<HTMLInputElement>;
  onFocus?: FocusEventHandler<HTMLInputElement>;
  error?: ReactNode;
  description?: ReactNode;
  required?: boolean;
  disabled?: boolean;
  /** First and last day offered by the calendar. */
  min?: string;
  max?: string;
  /** Days one click away. */
  presets?: DayPreset;
  /** Opens the calendar at the years, for a date of birth. */
  byYear?: boolean;
  /** With a time of day. */
  time?: boolean;
  className?: string;
  'data-autofocus'?: boolean;
}

/** Date that can be typed in any usual form or chosen from a calendar. */
export function DateField({
  label,
  value = '',
  onChange,
  onBlur,
  min,
  max,
  presets,
  byYear,
  time = false,
  className,
  ...field
}: Props) {
  const { t } = useTranslation('common');
  const [typed, setTyped] = useState<string>();
  const [opened, setOpened] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const pick = (next: string) => {
    setTyped(undefined);
    onChange(next);
  };
  const close = () => {
    setOpened(false);
    opener.current?.focus();
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      trapFocus
      withRoles={false}
      closeOnEscape={false}
      width="auto"
      disabled={field.disabled}
    >
      <Popover.Target>
        <TextInput
          size="sm"
          autoComplete="off"
          className={className}
          classNames={{ input: classes.input }}
          placeholder={t('date.example', {
            example: shown(`${todayInUserZone()}T09:00`.slice(0, time ? 16 : 10), time),
          })}
          label={label}
          value={typed ?? shown(value, time)}
          onChange={(event) => {
            const text = event.currentTarget.value;
            setTyped(text);
            onChange((time ? parseDayTime(text) : parseDay(text)) ?? text.trim());
          }}
          onBlur={(event) => {
            setTyped(undefined);
            onBlur?.(event);
          }}
          rightSection={
            <ActionIcon
              ref={opener}
              variant="subtle"
              color="gray"
              size={26}
              disabled={field.disabled}
              aria-label={t('date.open', { name: label })}
              aria-haspopup="dialog"
              aria-expanded={opened}
              onClick={() => setOpened(!opened)}
              data-mantine-stop-propagation={opened || undefined}
              onKeyDown={(event) => event.key === 'Escape' && setOpened(false)}
            >
              <IconCalendar size={16} aria-hidden="true" />
            </ActionIcon>
          }
          {...field}
        />
      </Popover.Target>
      <Popover.Dropdown
        role="dialog"
        aria-label={label}
        p="sm"
        // Escape closes the calendar, not the dialog around it: Mantine's modal looks at the focused element.
        onFocusCapture={(event) => event.target.setAttribute('data-mantine-stop-propagation', 'true')}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          close();
        }}
      >
        <Suspense fallback={<Skeleton width={252} height={280} aria-hidden="true" />}>
          <DayPicker
            value={value}
            time={time}
            min={min}
            max={max}
            presets={presets}
            byYear={byYear}
            onPick={pick}
            onDone={close}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

function shown(value: string, time: boolean): string {
  if (time) return isDay(value.slice(0, 10)) ? localDateTime(value) : value;
  return isDay(value) ? date(value) : value;
}
