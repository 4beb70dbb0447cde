import { InputBase, Popover, Skeleton } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateRange } from '../messages/format';
import type { Choice } from './ChoiceSelect';
import classes from './RangeField.module.css';

const DayRangePicker = lazy(() => import('./DayPicker').then((part) => ({ default: part.DayRangePicker })));

interface Props {
  label: string;
  /** Named periods, one click away. */
  periods: Choice<string>[];
  /** The named period that is chosen, if one is. */
  period?: string;
  from: string;
  to: string;
  onPeriod: (period: string) => void;
  onRange: (from: string, to: string) => void;
}

/** Date range: a named period, or a first and last day from the calendar. */
export function RangeField({ label, periods, period, from, to, onPeriod, onRange }: Props) {
  const { t } = useTranslation('common');
  const [opened, setOpened] = useState(false);
  const named = periods.find((choice) => choice.value === period);
  const close = () => setOpened(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <InputBase
          component="button"
          type="button"
          pointer
          size="sm"
          className={classes.field}
          leftSection={<IconCalendar size={16} aria-hidden="true" />}
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <span className="sr-only">{label}: </span>
          {named?.label ?? (dateRange(from, to) || t('date.any'))}
        </InputBase>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label} p="sm" className={classes.dropdown}>
        <div className={classes.periods}>
          {periods.map((choice) => (
            <button
              key={choice.value}
              type="button"
              aria-pressed={choice.value === period}
              onClick={() => {
                onPeriod(choice.value);
                close();
              }}
            >
              {choice.label}
            </button>
          ))}
        </div>
        <Suspense fallback={<Skeleton width={252} height={280} aria-hidden="true" />}>
          <DayRangePicker
            value={[from || null, to || null]}
            onPick={(first, last) => {
              onRange(first, last);
              close();
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
