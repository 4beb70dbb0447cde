import type { ReactNode } from 'react';
import { Facts, FactsSkeleton } from '../../ui/Facts';
import { PageHeader } from '../../ui/PageHeader';
import { Crumb } from '../shell/Crumb';
import { RecordError, type ParentList } from './RecordError';

interface Props<Record> {
  query: { data: Record | undefined; error: Error | null; refetch: () => unknown };
  list: ParentList;
  /** Title until the record is loaded. */
  kind: string;
  title: (record: Record) => string;
  status: (record: Record) => ReactNode;
  actions: (record: Record) => ReactNode;
  facts: (record: Record) => [label: string, value: ReactNode][];
  /** Tabs. */
  children: ReactNode;
}

/** Page of a record: header with name, status and actions, facts, tabs. */
export function RecordPage<Record>(props: Props<Record>) {
  const { query, list, kind, title, status, actions, facts, children } = props;
  const { data: record, error, refetch } = query;
  if (error && !record)
    return <RecordError error={error} kind={kind} list={list} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        trail={<Crumb to={list.to}>{list.name}</Crumb>}
        title={record ? title(record) : kind}
        status={record && status(record)}
        actions={record && actions(record)}
      />
      {record ? <Facts facts={facts(record)} /> : <FactsSkeleton />}
      {/* Loads with the record, and is shown with it: nothing moves. */}
      <div hidden={!record}>{children}</div>
    </>
  );
}
