import { InputBase, Popover } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateRange } from '../messages/format';
import { RangePanel, type RangeProps } from './RangePanel';
import classes from './RangeField.module.css';

interface Props extends RangeProps {
  label: string;
}

/** Date range: a named period, or a first and last day from the calendar. */
export function RangeField({ label, ...range }: Props) {
  const { t } = useTranslation('common');
  const [opened, setOpened] = useState(false);
  const named = range.periods.find((choice) => choice.value === range.period);
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
          {named?.label ?? (dateRange(range.from, range.to) || t('date.any'))}
        </InputBase>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label} p="sm">
        <RangePanel
          {...range}
          onPeriod={(period) => {
            range.onPeriod(period);
            close();
          }}
          onRange={(from, to) => {
            range.onRange(from, to);
            close();
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
