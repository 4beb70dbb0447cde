import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { InfoTooltip } from '../InfoTooltip';
import { Section } from '../Section';
import { ChartOrTable } from './ChartOrTable';
import classes from './ChartPanel.module.css';

interface Props {
  title: string;
  /** What is counted. */
  text: string;
  chart: ReactNode;
  table: ReactNode;
}

/** A chart, and beside it the same figures as a table. A phone shows one of them: both would be pages long. */
export function ChartPanel(props: Props) {
  const phone = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false });
  if (phone) return <ChartOrTable {...props} />;
  const { title, text, chart, table } = props;
  return (
    <Section title={title} actions={<InfoTooltip text={text} />} flush>
      <div className={classes.panel}>
        <div className={classes.chart}>{chart}</div>
        <div className={classes.table}>{table}</div>
      </div>
    </Section>
  );
}
