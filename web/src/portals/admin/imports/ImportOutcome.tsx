import { Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ImportReport, ImportRow } from '../../../api/types';
import { number } from '../../../messages/format';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';
import { Tag } from '../../../ui/Tag';
import classes from './ImportOutcome.module.css';

const tones = { rejected: 'stop', differs: 'wait', updated: 'work', present: 'rest' } as const;

/** Counts of a trial or an import, and the rows that need attention. */
export function ImportOutcome({ report, stale }: { report: ImportReport; stale?: boolean }) {
  const { t } = useTranslation('admin');
  const { counts, dry_run: trial, rows, rows_omitted: omitted, problems } = report;
  if (problems.length > 0) return null;
  const tense = trial ? 'trial' : 'done';
  const parts = (['created', 'updated', 'present', 'differing', 'rejected'] as const)
    .filter((outcome) => outcome === 'created' || counts[outcome] > 0)
    .map((outcome) => t(`imports.count.${tense}.${outcome}`, { n: number(counts[outcome]) }));
  const columns: GridColumn<ImportRow>[] = [
    {
      key: 'line',
      header: t('imports.line'),
      align: 'right',
      phone: 'text',
      cell: ({ line }) => (
        <>
          <span className={classes.word}>{t('imports.line')} </span>
          {number(line)}
        </>
      ),
    },
    { key: 'label', phone: 'title', header: t('imports.row'), cell: ({ label }) => label || '–' },
    {
      key: 'outcome',
      phone: 'side',
      header: t('imports.outcome'),
      cell: ({ outcome }) => <Tag tone={tones[outcome]}>{t(`imports.is.${outcome}`)}</Tag>,
    },
    { key: 'why', phone: 'below', header: t('imports.why'), cell: (row) => <Why row={row} /> },
  ];
  return (
    <>
      <Text fw={600} role="status">
        {parts.join(' · ')}
      </Text>
      {rows.length > 0 && (
        <RowGrid
          label={t('imports.attention')}
          columns={columns}
          state={{ rows, stale, error: null, retry: () => undefined }}
          rowKey={({ line }) => String(line)}
          empty={<EmptyState icon={<IconCircleCheck size={20} />} title={t('imports.no_attention')} />}
        />
      )}
      {omitted > 0 && <Text size="sm">{t('imports.omitted', { count: omitted, n: number(omitted) })}</Text>}
    </>
  );
}

/** Why a row was rejected, or its values beside the portal's. */
function Why({ row: { fields, value, reason, differences } }: { row: ImportRow }) {
  const { t } = useTranslation('admin');
  if (differences.length > 0)
    return differences.map(({ column, portal, file }) => (
      <div key={column}>{t('imports.difference', { column, portal: portal || '–', file: file || '–' })}</div>
    ));
  const cell = value ? ` (${value})` : '';
  return reason ? `${fields.length > 0 ? `${fields.join(', ')}: ` : ''}${reason}${cell}` : (value ?? '');
}
