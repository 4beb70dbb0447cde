import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { errorText } from '../../../api/errors';
import { ErrorState } from '../../../ui/ErrorState';
import { Facts } from '../../../ui/Facts';
import { PageHeader } from '../../../ui/PageHeader';

interface Props<Record> {
  query: { data: Record | undefined; error: Error | null; refetch: () => unknown };
  trail: ReactNode;
  /** Title until the record is loaded. */
  kind: string;
  title: (record: Record) => string;
  actions: (record: Record) => ReactNode;
  facts: (record: Record) => [label: string, value: ReactNode][];
  /** Content below the facts. */
  children: ReactNode;
}

/** Page of a record: header with name, status and actions, facts, content. */
export function RecordPage<Record>({ query, trail, kind, title, actions, facts, children }: Props<Record>) {
  const { data: record, error, refetch } = query;
  return (
    <>
      <PageHeader trail={trail} title={record ? title(record) : kind} actions={record && actions(record)} />
      {error && !record ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <>
          {record ? <Facts facts={facts(record)} /> : <Skeleton height={36} mb="md" />}
          {children}
        </>
      )}
    </>
  );
}
