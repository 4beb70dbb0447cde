import { useTranslation } from 'react-i18next';
import { dateRange, todayInUserZone } from '../../messages/format';
import type { GridFilter } from '../../ui/grid/FilterChips';
import { RangePanel } from '../../ui/RangePanel';
import { daysOfMonth } from '../figures/months';
import { namedRange, namedRanges, type NamedRange } from '../figures/namedRange';

interface Days {
  from?: string;
  to?: string;
}

/** Days in a URL: `2026-11-01..2026-11-30`, each of them optional. */
export function daysText({ from = '', to = '' }: Days): string {
  return from || to ? `${from}..${to}` : '';
}

export function parseDays(text: string | undefined): Days {
  const [from, to] = text?.split('..') ?? [];
  return { from: from || undefined, to: to || undefined };
}

/** The filter of a list by a month such as `2026-11`. */
export function monthFilter(month: string): { days: string } {
  return { days: daysText(daysOfMonth(month)) };
}

/** Filter of a list by a range of days, in the parameter `days`. */
export function useDaysFilter(label: string): GridFilter {
  const { t } = useTranslation('names');
  const today = todayInUserZone();
  return {
    key: 'days',
    label,
    wide: true,
    nameOf: (value) => {
      const { from, to } = parseDays(value);
      return dateRange(from, to) || undefined;
    },
    field: (value, onChange) => {
      const { from = '', to = '' } = parseDays(value);
      return (
        <RangePanel
          periods={namedRanges.map((name) => ({ value: name, label: t(`report_period.${name}`) }))}
          period={namedRanges.find((name) => daysText(namedRange(name, today)) === value)}
          from={from}
          to={to}
          onPeriod={(name) => onChange(daysText(namedRange(name as NamedRange, today)))}
          onRange={(first, last) => onChange(daysText({ from: first, to: last }))}
        />
      );
    },
  };
}
