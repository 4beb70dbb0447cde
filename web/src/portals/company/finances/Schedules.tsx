import { Button, Text } from '@mantine/core';
import { IconMail, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { ReportName, ReportSchedule } from '../../../api/types';
import { date, dateTime } from '../../../messages/format';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import type { GridColumn } from '../../../ui/grid/columns';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { RowMenu } from '../../../ui/RowMenu';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { toast } from '../../../ui/toasts';
import { useCompany } from '../companyContext';
import { ScheduleForm } from './ScheduleForm';
import type { ReportPeriod } from '../../../shared/figures/dateRange';

interface Props {
  /** The current report and range, as defaults of a new schedule. */
  report: ReportName;
  period?: ReportPeriod;
}

/** Report schedules of the company. */
export function Schedules({ report, period }: Props) {
  const { t } = useTranslation(['reports', 'names', 'common']);
  const company = useCompany();
  const { data, error, refetch } = useQuery(queries.reportSchedules(company.id));
  const [editing, setEditing] = useState<ReportSchedule | 'new' | null>(null);
  const [doomed, setDoomed] = useState<ReportSchedule | null>(null);
  const remove = useSave({
    save: (schedule: ReportSchedule) =>
      body(api.DELETE('/rest/v1/report-schedules/{id}', { params: { path: { id: schedule.id } } })),
    invalidates: 'report_schedule',
    onSaved: () => {
      setDoomed(null);
      toast({ title: t('schedule.ended') });
    },
  });
  const nameOf = (row: ReportSchedule) => t(`names:report.${row.report}`);
  const columns: GridColumn<ReportSchedule>[] = [
    {
      key: 'report',
      phone: 'title',
      header: t('names:field.report'),
      cell: (row) => (
        <>
          {nameOf(row)}
          <Text size="xs" c="dimmed">
            {t(`names:report_period.${row.period}`)}
          </Text>
        </>
      ),
    },
    {
      key: 'every',
      phone: 'side',
      header: t('names:field.every'),
      cell: (row) => t(`names:report_interval.${row.every}`),
    },
    {
      key: 'recipients',
      phone: 'text',
      header: t('names:field.recipients'),
      cell: (row) =>
        row.recipients
          .map(({ name, may_see: sees }) => (sees ? name : t('schedule.not_any_more', { name })))
          .join(', '),
    },
    {
      key: 'next',
      phone: 'end',
      header: t('schedule.next'),
      cell: (row) => (
        <>
          <span className="num">{date(row.next_date)}</span>
          <Text size="xs" c="dimmed">
            {row.last_sent_at ? t('schedule.last', { at: dateTime(row.last_sent_at) }) : t('schedule.never')}
          </Text>
        </>
      ),
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (row) => (
        <RowMenu
          name={nameOf(row)}
          actions={[
            {
              needs: 'update',
              label: t('schedule.edit'),
              icon: <IconPencil size={15} />,
              onClick: () => setEditing(row),
            },
            {
              needs: 'delete',
              label: t('schedule.end'),
              icon: <IconTrash size={15} />,
              danger: true,
              onClick: () => setDoomed(row),
            },
          ].filter(({ needs }) => row.can.includes(needs))}
        />
      ),
    },
  ];
  const add = (
    <Button variant="default" onClick={() => setEditing('new')} disabled={!data}>
      {t('schedule.add')}
    </Button>
  );
  return (
    <Section title={t('schedule.title')} flush actions={add}>
      <RowGrid
        label={t('schedule.title')}
        columns={columns}
        state={{ rows: data?.items, error: error ? errorText(error) : null, retry: () => void refetch() }}
        rowKey={(row) => row.id}
        empty={
          <EmptyState icon={<IconMail size={20} />} title={t('schedule.empty')} text={t('schedule.text')} />
        }
      />
      {editing && data && (
        <ScheduleForm
          schedule={editing === 'new' ? null : editing}
          admins={data.admins}
          report={report}
          period={period}
          onClose={() => setEditing(null)}
        />
      )}
      {doomed && (
        <ConfirmDialog
          title={t('schedule.end_title', { report: nameOf(doomed) })}
          confirmLabel={t('schedule.end')}
          busyLabel={t('common:saving')}
          busy={remove.isPending}
          danger
          onConfirm={() => remove.mutate(doomed)}
          onClose={() => setDoomed(null)}
        >
          {t('schedule.end_text')}
        </ConfirmDialog>
      )}
    </Section>
  );
}
