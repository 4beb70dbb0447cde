import { Text } from '@mantine/core';
import { IconPhoneCall } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import type { Call, CallStatus } from '../../api/types';
import { dateTime } from '../../messages/format';
import { ChoiceFilter } from '../../ui/ChoiceFilter';
import { DataTable, type Column } from '../../ui/DataTable';
import { Prose } from '../../ui/Prose';
import { saveBlob } from '../../ui/saveText';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import { ExportButton } from '../ExportButton';
import { tableState } from '../tableState';
import { useParam } from '../queryParams';

const states: CallStatus[] = ['requested', 'confirmed', 'declined', 'cancelled'];

interface Props {
  withIso?: boolean;
  empty: { title: string; text?: string; action?: ReactNode };
  actions: (call: Call) => ReactNode;
}

/** Calls with proposed or confirmed times. */
export function CallTable({ withIso = false, empty, actions }: Props) {
  const { t } = useTranslation(['partners', 'names', 'common', 'commissions']);
  const [statusParam, setStatusParam] = useParam('status');
  const status = states.find((known) => known === statusParam);
  const state = tableState(useInfiniteQuery(queries.calls({ status })));
  const columns: Column<Call>[] = [
    {
      key: 'topic',
      header: t('calls.topic'),
      cell: (call) => (
        <>
          {call.topic}
          <Text size="xs" c="dimmed" lineClamp={3}>
            <Prose>{[withIso && call.iso_name, call.note].filter(Boolean).join(' · ')}</Prose>
          </Text>
        </>
      ),
    },
    {
      key: 'times',
      header: t('calls.times'),
      cell: (call) => (
        <>
          {(call.begins_at ? [call.begins_at] : call.times).map((time) => (
            <div key={time} className="num">
              {dateTime(time)}
            </div>
          ))}
          <Text size="xs" c="dimmed">
            {t('calls.minutes', { count: call.minutes })}
          </Text>
        </>
      ),
    },
    {
      key: 'status',
      header: t('common:status'),
      cell: (call) => (
        <>
          <StatusBadge kind="call" status={call.status} />
          {call.answer && (
            <Text size="xs" c="dimmed" mt={2}>
              <Prose>{call.answer}</Prose>
            </Text>
          )}
        </>
      ),
    },
    { key: 'actions', header: t('common:actions'), actions: true, cell: actions },
  ];
  return (
    <Section
      title={t('calls.list')}
      flush
      actions={
        <>
          <ChoiceFilter
            label={t('common:status')}
            all={t('commissions:all_states')}
            value={status ?? ''}
            choices={states.map((value) => ({ value, label: t(`names:call_status.${value}`) }))}
            onChange={setStatusParam}
          />
          <ExportButton
            name="calls"
            load={() =>
              body(api.GET('/rest/v1/calls.csv', { params: { query: { status } }, parseAs: 'blob' }))
            }
          />
        </>
      }
    >
      <DataTable
        label={t('calls.list')}
        columns={columns}
        state={state}
        rowKey={(call) => call.id}
        empty={
          <EmptyState
            icon={<IconPhoneCall size={20} />}
            {...(status ? { title: t('calls.none_match') } : empty)}
          />
        }
      />
    </Section>
  );
}

/** Calendar file (ics) of a confirmed call. */
export async function saveCalendar(call: Call): Promise<void> {
  const params = { path: { id: call.id } };
  const file = await body(api.GET('/rest/v1/calls/{id}/ics', { params, parseAs: 'blob' }));
  saveBlob(`call-${call.id.slice(0, 8)}.ics`, file);
}
