import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { InfoTooltip } from '../InfoTooltip';
import { Section } from '../Section';
import { ChartOrTable } from './ChartOrTable';
import classes from './ChartPanel.module.css';

interface Props {
  title: string;
  /** Unit counted. */
  text: string;
  chart: ReactNode;
  table: ReactNode;
}

/** Chart beside its table; a phone shows one at a time. */
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
