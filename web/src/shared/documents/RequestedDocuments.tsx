import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { SpvDetail } from '../../api/types';
import { ErrorState } from '../../ui/ErrorState';
import { RequestList } from './RequestList';

/** What the client of an order is asked for. */
export function useRequests(spv: SpvDetail) {
  return useQuery(queries.documentRequests(spv.id));
}

/** What the client is asked for, among their tasks: what waits for them first. */
export function RequestedDocuments({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('documents');
  const { data, error, refetch } = useRequests(spv);
  if (error && !data) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} m="md" width="auto" />;
  const order = ['needs_revision', 'requested', 'submitted', 'approved', 'waived'];
  const sorted = data.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  if (sorted.length === 0) return null;
  return <RequestList requests={sorted} spv={spv} label={t('requests')} />;
}
