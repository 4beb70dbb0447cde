import { Button } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { InfoTooltip } from '../InfoTooltip';
import { Section } from '../Section';
import classes from './ChartOrTable.module.css';

interface Props {
  title: string;
  /** Unit counted. */
  text: string;
  chart: ReactNode;
  table: ReactNode;
}

/** Chart or table where there is no room for both. Screen readers always have the table. */
export function ChartOrTable({ title, text, chart, table }: Props) {
  const { t } = useTranslation('common');
  const [figures, setFigures] = useState(false);
  const Picture = figures ? IconChartBar : IconTable;
  return (
    <Section
      title={title}
      flush
      actions={
        <>
          <InfoTooltip text={text} />
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<Picture size={15} aria-hidden="true" />}
            aria-label={t(figures ? 'chart.show_of' : 'chart.table_of', { name: title })}
            onClick={() => setFigures(!figures)}
          >
            {t(figures ? 'chart.show' : 'chart.table')}
          </Button>
        </>
      }
    >
      {!figures && <div className={classes.chart}>{chart}</div>}
      <div className={figures ? classes.table : 'sr-only'}>{table}</div>
    </Section>
  );
}
