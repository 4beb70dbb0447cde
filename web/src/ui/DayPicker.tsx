import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/es';
import { DatePicker } from '@mantine/dates';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addDays, clockTime, todayInUserZone } from '../messages/format';
import { catalogueFor } from '../messages/locale';
import { useLocale } from '../messages/useLocale';
import { isDay } from '../messages/parseDay';
import { ChoiceSelect } from './ChoiceSelect';
import classes from './DayPicker.module.css';

/** `due`: days to come; `past`: days gone by. */
export type DayPreset = 'due' | 'past';

const OFFSETS = {
  due: [
    ['today', 0],
    ['tomorrow', 1],
    ['in_week', 7],
    ['in_two_weeks', 14],
    ['in_month', 30],
  ],
  past: [
    ['today', 0],
    ['yesterday', -1],
    ['week_ago', -7],
  ],
} as const;

interface Props {
  value: string;
  time: boolean;
  min?: string;
  max?: string;
  presets?: DayPreset;
  byYear?: boolean;
  onPick: (value: string) => void;
  onDone: () => void;
}

const DEFAULT_TIME = '09:00';

/** Calendar of one day, with a time where there is one. */
export function DayPicker({ value, time, min, max, presets, byYear, onPick, onDone }: Props) {
  const { t } = useTranslation('common');
  const settings = useCalendarSettings();
  const day = isDay(value.slice(0, 10)) ? value.slice(0, 10) : null;
  const [clock, setClock] = useState(value.slice(11, 16) || DEFAULT_TIME);
  const today = todayInUserZone();
  const offered = presets
    ? OFFSETS[presets].map(([name, days]) => ({
        value: addDays(today, days),
        label: t(`date.preset.${name}`),
      }))
    : undefined;
  return (
    <div className={classes.picker} ref={focusDay}>
      <DatePicker
        {...settings}
        value={day}
        defaultDate={day ?? max ?? undefined}
        defaultLevel={byYear && !day ? 'decade' : 'month'}
        minDate={min}
        maxDate={max}
        presets={offered?.filter((preset) => (!min || preset.value >= min) && (!max || preset.value <= max))}
        onChange={(next) => {
          if (!next) return;
          onPick(time ? `${next}T${clock}` : next);
          if (!time) onDone();
        }}
      />
      {time && (
        <ChoiceSelect
          label={t('date.time')}
          choices={halfHours(clock).map((each) => ({ value: each, label: clockTime(each) }))}
          value={clock}
          onChange={(next) => {
            setClock(next);
            if (day) onPick(`${day}T${next}`);
          }}
        />
      )}
    </div>
  );
}

/** Moves the focus to the chosen day, today, or the first day that can be chosen. */
function focusDay(picker: HTMLElement | null): void {
  const day = ['[data-selected]', '[aria-current]', 'td button']
    .map((kind) => picker?.querySelector<HTMLElement>(`${kind}:not(:disabled, [data-disabled])`))
    .find(Boolean);
  day?.focus();
}

/** Every half hour of a day, and the chosen time. */
function halfHours(chosen: string): string[] {
  const times = Array.from({ length: 48 }, (_, n) => {
    return `${String(Math.floor(n / 2)).padStart(2, '0')}:${n % 2 ? '30' : '00'}`;
  });
  return [...new Set([...times, chosen])].toSorted();
}

interface RangeProps {
  value: [string | null, string | null];
  max?: string;
  onPick: (from: string, to: string) => void;
}

/** Calendar of a first and a last day. */
export function DayRangePicker({ value, max, onPick }: RangeProps) {
  const settings = useCalendarSettings();
  const narrow = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false });
  const [picked, setPicked] = useState(value);
  const last = value[1] ?? value[0] ?? todayInUserZone();
  return (
    <DatePicker
      {...settings}
      type="range"
      allowSingleDateInRange
      numberOfColumns={narrow ? 1 : 2}
      columnsToScroll={1}
      value={picked}
      defaultDate={addMonths(last, narrow ? 0 : -1)}
      maxDate={max}
      onChange={([from, to]) => {
        setPicked([from, to]);
        if (from && to) onPick(from, to);
      }}
    />
  );
}

function addMonths(day: string, months: number): string {
  const at = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + months);
  return at.toISOString().slice(0, 10);
}

/** Language, first day of the week and names of the controls. */
function useCalendarSettings() {
  const { t } = useTranslation('common');
  const { language } = useLocale();
  const today = todayInUserZone();
  return {
    locale: catalogueFor(language),
    firstDayOfWeek: language === 'en-US' ? (0 as const) : (1 as const),
    // Today in the zone of the user, which may be another than the device's.
    getDayProps: (day: string) =>
      day === today ? { className: classes.today, 'aria-current': 'date' as const } : {},
    ariaLabels: {
      monthLevelControl: t('date.choose_month'),
      yearLevelControl: t('date.choose_year'),
      nextMonth: t('date.next_month'),
      previousMonth: t('date.previous_month'),
      nextYear: t('date.next_year'),
      previousYear: t('date.previous_year'),
      nextDecade: t('date.next_decade'),
      previousDecade: t('date.previous_decade'),
    },
    classNames: { presetButton: classes.preset, day: classes.day },
  };
}
