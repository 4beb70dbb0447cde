import { SegmentedControl } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { InfoTooltip } from '../InfoTooltip';
import { Section } from '../Section';
import { PlainTables } from './FigureTable';
import classes from './ChartPanel.module.css';

interface Props {
  title: string;
  /** Unit counted. */
  text: string;
  chart: ReactNode;
  /** Across the whole grid. */
  wide?: boolean;
  table: ReactNode;
}

/** Chart or table, by choice. Screen readers always have the table. */
export function ChartPanel({ title, text, chart, table, wide }: Props) {
  const { t } = useTranslation('common');
  const [view, setView] = useState<string>('chart');
  return (
    <div className={wide ? classes.wide : undefined}>
      <Section
        title={title}
        flush
        actions={
          <>
            <InfoTooltip about={title} text={text} />
            <SegmentedControl
              size="xs"
              className={classes.choice}
              aria-label={t('chart.view', { name: title })}
              data={[
                { value: 'chart', label: t('chart.show') },
                { value: 'table', label: t('chart.table') },
              ]}
              value={view}
              onChange={setView}
            />
          </>
        }
      >
        {view === 'chart' && <div className={classes.chart}>{chart}</div>}
        <div className={view === 'table' ? classes.table : 'sr-only'}>
          <PlainTables value={view === 'chart'}>{table}</PlainTables>
        </div>
      </Section>
    </div>
  );
}

/** Panels side by side where there is room. */
export function ChartGrid({ children }: { children: ReactNode }) {
  return <div className={classes.grid}>{children}</div>;
}
