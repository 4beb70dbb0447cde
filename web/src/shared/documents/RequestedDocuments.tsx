import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { DocumentRequest, SpvDetail } from '../../api/types';
import { ErrorState } from '../../ui/ErrorState';
import { RequestList } from './RequestList';

/** Document requests of an order. */
export function useRequests(spv: SpvDetail) {
  return useQuery(queries.documentRequests(spv.id));
}

/** Approved or waived. */
export const isSettled = ({ status }: DocumentRequest) => status === 'approved' || status === 'waived';

/** Open document requests among the tasks of the client; the others are with the documents. */
export function RequestedDocuments({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('documents');
  const { data, error, refetch } = useRequests(spv);
  if (error && !data) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} m="md" width="auto" />;
  const order = ['needs_revision', 'requested', 'submitted'];
  const sorted = data
    .filter((request) => !isSettled(request))
    .toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  if (sorted.length === 0) return null;
  return <RequestList requests={sorted} spv={spv} label={t('requests')} />;
}
