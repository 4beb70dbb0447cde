import { Text } from '@mantine/core';
import { IconPhoneCall } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { lists, type CallQuery } from '../../api/lists';
import type { Call, CallStatus } from '../../api/types';
import { dateTime } from '../../messages/format';
import { Prose } from '../../ui/Prose';
import { saveBlob } from '../../ui/saveText';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import type { GridColumn } from '../../ui/grid/columns';
import { ExportButton } from '../ExportButton';
import { ListGrid, type GridQuery } from '../grid/ListGrid';
import { IsoLink } from '../records/links';

const states: CallStatus[] = ['requested', 'confirmed', 'declined', 'cancelled'];

interface Props {
  withIso?: boolean;
  empty: { title: string; text?: string; action?: ReactNode };
  actions: (call: Call) => ReactNode;
}

function callQuery({ filters, order, limit }: GridQuery): CallQuery {
  return { order, limit, status: states.find((known) => known === filters.status) };
}

/** Calls with proposed or confirmed times. */
export function CallTable({ withIso = false, empty, actions }: Props) {
  const { t } = useTranslation(['partners', 'names', 'common']);
  const columns: GridColumn<Call>[] = [
    {
      key: 'topic',
      header: t('calls.topic'),
      phone: 'title',
      link: (call) => call.topic,
      cell: (call) => (
        <Text size="xs" c="dimmed" lineClamp={3}>
          {withIso && <IsoLink id={call.iso_id} name={call.iso_name} />}
          {withIso && call.note && ' · '}
          <Prose>{call.note}</Prose>
        </Text>
      ),
    },
    {
      key: 'times',
      header: t('calls.times'),
      sort: 'begins_at',
      phone: 'text',
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
      phone: 'end',
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
    <Section title={t('calls.list')} hideTitle>
      <ListGrid<Call>
        list="calls"
        label={t('calls.list')}
        columns={columns}
        rows={(query) => lists.calls(callQuery(query))}
        rowKey={(call) => call.id}
        rowName={(call) => call.topic}
        defaultSort={{ key: 'created_at', descending: true }}
        filters={[
          {
            key: 'status',
            label: t('common:status'),
            choices: states.map((value) => ({ value, label: t(`names:call_status.${value}`) })),
          },
        ]}
        views={(['requested', 'confirmed'] as const).map((status) => ({
          key: status,
          name: t(`names:call_status.${status}`),
          query: `status=${status}`,
        }))}
        actions={(query) => (
          <ExportButton
            name="calls"
            load={() =>
              body(api.GET('/rest/v1/calls.csv', { params: { query: callQuery(query) }, parseAs: 'blob' }))
            }
          />
        )}
        empty={<EmptyState icon={<IconPhoneCall size={20} />} {...empty} />}
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
