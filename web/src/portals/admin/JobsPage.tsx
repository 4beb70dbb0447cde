import { IconListCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import type { Job } from '../../api/types';
import { dateTime, number } from '../../messages/format';
import { rowsState } from '../../shared/grid/listState';
import { useParam } from '../../shared/queryParams';
import { useSave } from '../../shared/useSave';
import { BusyButton } from '../../ui/BusyButton';
import { ChoiceFilter } from '../../ui/ChoiceFilter';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../../shared/grid/RowGrid';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { Quiet, Tag } from '../../ui/Tag';
import { toast } from '../../ui/toasts';
import classes from './logs/logs.module.css';

const statuses = ['pending', 'queued', 'running', 'done', 'failed', 'dead'] as const;
const ALL = 'all';
const tones: Record<string, 'wait' | 'work' | 'done' | 'stop' | 'rest'> = {
  pending: 'wait',
  queued: 'wait',
  running: 'work',
  failed: 'wait',
  dead: 'stop',
};

/** Background jobs by status, with retry of failed ones. */
export function Component() {
  const { t } = useTranslation('admin');
  const [status, setStatus] = useParam('status');
  // Completed jobs are many: they are shown when asked for.
  const shown = status === ALL ? undefined : status || 'open';
  const state = rowsState(useInfiniteQuery(queries.jobs({ status: shown, limit: 100 })));
  const columns: GridColumn<Job>[] = [
    {
      key: 'name',
      phone: 'title',
      header: t('jobs.name'),
      cell: (job) => <span className={classes.value}>{job.name}</span>,
    },
    {
      key: 'status',
      phone: 'side',
      header: t('jobs.status'),
      cell: (job) => {
        const label = t(`jobs.is.${job.status}`, { defaultValue: job.status });
        // Most jobs are done: only the others have a colour.
        return job.status === 'done' ? (
          <Quiet>{label}</Quiet>
        ) : (
          <Tag tone={tones[job.status] ?? 'rest'}>{label}</Tag>
        );
      },
    },
    {
      key: 'attempts',
      header: t('jobs.attempts'),
      align: 'right',
      cell: (job) => `${number(job.attempts)} / ${number(job.max_attempts)}`,
    },
    { key: 'at', phone: 'end', header: t('jobs.due'), cell: (job) => dateTime(job.run_at) },
    {
      key: 'result',
      phone: 'text',
      header: t('jobs.result'),
      cell: (job) => (
        <span className={classes.value}>{job.status === 'done' ? '' : (job.last_result ?? '')}</span>
      ),
    },
    {
      key: 'again',
      header: t('jobs.again'),
      actions: true,
      cell: (job) => (job.status === 'dead' || job.status === 'failed' ? <RetryButton job={job} /> : null),
    },
  ];
  return (
    <>
      <PageHeader
        title={t('jobs.title')}
        text={t('jobs.text')}
        actions={
          <ChoiceFilter
            label={t('jobs.status')}
            all={t('jobs.open')}
            value={status}
            choices={[
              ...statuses.map((value) => ({ value, label: t(`jobs.is.${value}`) })),
              { value: ALL, label: t('jobs.all') },
            ]}
            onChange={setStatus}
          />
        }
      />
      <Section title={t('jobs.newest')} flush>
        <RowGrid
          main
          label={t('jobs.newest')}
          columns={columns}
          state={state}
          rowKey={(job) => job.id}
          empty={
            <EmptyState
              icon={<IconListCheck size={20} />}
              title={shown === 'open' ? t('jobs.none_open') : t('jobs.none')}
            />
          }
        />
      </Section>
    </>
  );
}

function RetryButton({ job }: { job: Job }) {
  const { t } = useTranslation('admin');
  const retry = useSave({
    save: () => body(api.POST('/rest/v1/jobs/{id}/retry', { params: { path: { id: job.id } } })),
    onSaved: () => {
      toast({ title: t('jobs.queued'), description: job.name });
      void queryClient.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  return (
    <BusyButton
      variant="default"
      size="compact-sm"
      busy={retry.isPending}
      label={t('jobs.again')}
      busyLabel={t('jobs.queueing')}
      onClick={() => retry.mutate(undefined)}
    />
  );
}
