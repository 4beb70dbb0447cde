import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { ChoiceButton } from './ChoiceButton';
import type { Choice } from './ChoiceSelect';
import classes from './RangePanel.module.css';

const DayRangePicker = lazy(() => import('./DayPicker').then((part) => ({ default: part.DayRangePicker })));

export interface RangeProps {
  /** Named periods, one click away. */
  periods: Choice<string>[];
  /** The named period that is chosen, if one is. */
  period?: string;
  from: string;
  to: string;
  onPeriod: (period: string) => void;
  onRange: (from: string, to: string) => void;
}

/** Named periods beside a calendar for the first and last day. */
export function RangePanel({ periods, period, from, to, onPeriod, onRange }: RangeProps) {
  return (
    <div className={classes.panel}>
      <div className={classes.periods}>
        {periods.map((choice) => (
          <ChoiceButton
            key={choice.value}
            chosen={choice.value === period}
            onChoose={() => onPeriod(choice.value)}
          >
            {choice.label}
          </ChoiceButton>
        ))}
      </div>
      <Suspense fallback={<Skeleton width={252} height={280} aria-hidden="true" />}>
        <DayRangePicker value={[from || null, to || null]} onPick={onRange} />
      </Suspense>
    </div>
  );
}
