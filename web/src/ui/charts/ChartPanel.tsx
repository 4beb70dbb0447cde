import type { ReactNode } from 'react';
import { Explained } from '../Explained';
import { Section } from '../Section';
import classes from './ChartPanel.module.css';

interface Props {
  title: string;
  /** What is counted. */
  text: string;
  chart: ReactNode;
  table: ReactNode;
}

/** A chart, and beside it the same figures as a table. */
export function ChartPanel({ title, text, chart, table }: Props) {
  return (
    <Section title={title} actions={<Explained text={text} />} flush>
      <div className={classes.panel}>
        <div className={classes.chart}>{chart}</div>
        <div className={classes.table}>{table}</div>
      </div>
    </Section>
  );
}
