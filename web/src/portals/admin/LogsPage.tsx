import { Button, Switch } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import type { LogEntry } from '../../api/types';
import { dateTime } from '../../messages/format';
import { activityText, actorText } from '../../shared/activity/activityText';
import { ExportButton } from '../../shared/ExportButton';
import { daysText, parseDays, useDaysFilter } from '../../shared/grid/daysFilter';
import { ListTools } from '../../shared/grid/ListTools';
import { useSetParams } from '../../shared/queryParams';
import { rowsState } from '../../shared/grid/listState';
import { UserLink } from '../../shared/records/links';
import type { GridFilter } from '../../ui/grid/FilterChips';
import { TextFilter } from '../../ui/grid/TextFilter';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../../shared/grid/RowGrid';
import { DetailList } from '../../ui/DetailList';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { roleText, useLogColumns } from './logs/columns';
import classes from './logs/logs.module.css';
import { useLiveTail } from './logs/useLiveTail';
import { Dialog } from '../../ui/Dialog';

const kinds = [
  'client',
  'iso',
  'employee',
  'company_admin',
  'super_admin',
  'operator',
  'service',
  'system',
  'anonymous',
];
const nouns = [
  'activity',
  'address',
  'alert',
  'backup',
  'call',
  'client',
  'commission',
  'company',
  'document',
  'document_request',
  'export',
  'identity',
  'impersonation',
  'import',
  'invoice',
  'iso',
  'iso_note',
  'job',
  'keys',
  'lead',
  'mail',
  'maintenance',
  'message',
  'note',
  'payout_run',
  'report_schedule',
  'request',
  'scan',
  'seed',
  'session',
  'settings',
  'sign_in',
  'spv',
  'step',
  'template',
  'user',
];

const FILTERS = ['who', 'role', 'what', 'subject', 'from', 'to', 'address'];

/** Activity log; filters are in the URL. */
export function Component() {
  const { t } = useTranslation(['admin', 'names', 'events', 'common']);
  const [params] = useSearchParams();
  const set = useSetParams();
  const filters = Object.fromEntries(
    FILTERS.flatMap((key) => {
      const value = params.get(key);
      return value ? [[key, value]] : [];
    }),
  );
  const [live, setLive] = useState(true);
  const [shown, setShown] = useState<LogEntry | null>(null);
  const query = useInfiniteQuery(queries.logs(filters));
  useLiveTail(live);
  const narrowed = Object.keys(filters).length > 0;
  const columns: GridColumn<LogEntry>[] = [
    ...useLogColumns(),
    {
      key: 'more',
      header: t('logs.details'),
      actions: true,
      width: 96,
      cell: (row) => (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={t('logs.details_of', { seq: row.seq })}
          onClick={() => setShown(row)}
        >
          {t('logs.details')}
        </Button>
      ),
    },
  ];
  const { who = '', what = '', from, to } = filters;
  const textFilter = (key: 'subject' | 'address'): GridFilter => ({
    key,
    label: t(`logs.${key}`),
    nameOf: (value) => value,
    field: (value, onChange) => <TextFilter label={t(`logs.${key}`)} value={value} onApply={onChange} />,
  });
  const chips: GridFilter[] = [
    {
      key: 'what',
      label: t('logs.what'),
      choices: (nouns.includes(what) || !what ? nouns : [what, ...nouns]).map((value) => ({
        value,
        label: t(`logs.noun.${value}`, { defaultValue: value }),
      })),
    },
    {
      key: 'role',
      label: t('logs.role'),
      choices: kinds.map((value) => ({ value, label: roleText(t, value) })),
    },
    useDaysFilter(t('logs.when')),
    textFilter('subject'),
    textFilter('address'),
  ];
  return (
    <>
      <PageHeader
        title={t('logs.title')}
        text={t('logs.text')}
        actions={
          <ExportButton
            name="logs"
            load={() => body(api.GET('/rest/v1/logs.csv', { params: { query: filters }, parseAs: 'blob' }))}
          />
        }
      />
      <Section
        title={t('logs.entries')}
        actions={
          <Switch
            size="sm"
            label={t('logs.follow')}
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
        }
        flush
      >
        <ListTools
          label={t('logs.filters')}
          search={t('logs.search')}
          filters={chips}
          query={{
            q: who,
            setQ: (next) => set({ who: next }),
            filters: { ...filters, days: daysText({ from, to }) },
            setFilter: (key, value) => {
              const days = parseDays(value);
              set(key === 'days' ? { from: days.from ?? '', to: days.to ?? '' } : { [key]: value });
            },
            clear: () => set(Object.fromEntries(FILTERS.map((key) => [key, '']))),
          }}
        />
        <RowGrid
          main
          label={t('logs.entries')}
          columns={columns}
          state={rowsState(query)}
          rowKey={(row) => String(row.seq)}
          empty={
            <EmptyState
              icon={<IconFileText size={20} />}
              title={narrowed ? t('logs.no_match') : t('common:activity.empty')}
            />
          }
        />
      </Section>
      {shown && <Details entry={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function Details({ entry, onClose }: { entry: LogEntry; onClose: () => void }) {
  const { t } = useTranslation(['admin', 'names', 'events', 'common']);
  const { before, after, ...data } = entry.data as Record<string, unknown>;
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value, null, 1);
  const names = Object.keys({ ...(before as object), ...(after as object) });
  const of = (side: unknown, name: string) => (side as Record<string, unknown> | undefined)?.[name];
  return (
    <Dialog onClose={onClose} title={t('logs.entry', { seq: entry.seq })} size="lg">
      <DetailList
        details={[
          [t('logs.what'), activityText(t, entry)],
          [t('logs.action'), <DetailValue key="action" text={entry.action} />],
          [t('logs.when'), dateTime(entry.at)],
          [
            t('logs.who'),
            <span key="who">
              <UserLink id={entry.actor_id} name={actorText(t, entry.actor)} /> (
              {roleText(t, entry.actor.kind)})
            </span>,
          ],
          [t('logs.subject'), <Subject key="subject" of={entry.subject} />],
          [t('logs.address'), entry.address],
          [t('logs.device'), entry.user_agent],
          ...Object.entries(data).map(
            ([name, value]) =>
              [name, <DetailValue key={name} text={text(value)} />] as [string, React.ReactNode],
          ),
        ]}
      />
      {names.length > 0 && (
        <table className={classes.changes} aria-label={t('logs.changes')}>
          <thead>
            <tr>
              <th scope="col">{t('logs.field')}</th>
              <th scope="col">{t('logs.before')}</th>
              <th scope="col">{t('logs.after')}</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className={classes.value}>{text(of(before, name) ?? '—')}</td>
                <td className={classes.value}>{text(of(after, name) ?? '—')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}

function Subject({ of: { kind, id, label } }: { of: LogEntry['subject'] }) {
  return (
    <span>
      {kind === 'user' ? <UserLink id={id} name={label} /> : label} ({kind})
    </span>
  );
}

function DetailValue({ text }: { text: string }) {
  return <span className={classes.value}>{text}</span>;
}
