import type { ReactNode } from 'react';
import { errorText } from '../../api/errors';
import { ErrorState } from '../../ui/ErrorState';
import { Facts, FactsSkeleton } from '../../ui/Facts';
import { PageHeader } from '../../ui/PageHeader';

interface Props<Record> {
  query: { data: Record | undefined; error: Error | null; refetch: () => unknown };
  trail: ReactNode;
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
  const { query, trail, kind, title, status, actions, facts, children } = props;
  const { data: record, error, refetch } = query;
  return (
    <>
      <PageHeader
        trail={trail}
        title={record ? title(record) : kind}
        status={record && status(record)}
        actions={record && actions(record)}
      />
      {error && !record ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <>
          {record ? <Facts facts={facts(record)} /> : <FactsSkeleton />}
          {/* Loads with the record, and is shown with it: nothing moves. */}
          <div hidden={!record}>{children}</div>
        </>
      )}
    </>
  );
}
