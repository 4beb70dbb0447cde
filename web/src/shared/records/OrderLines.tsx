import { Skeleton, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { lists } from '../../api/lists';
import { errorText } from '../../api/errors';
import { ErrorState } from '../../ui/ErrorState';
import { StatusBadge } from '../../ui/StatusBadge';
import { orderName } from '../spvs/orderName';
import { RecordLink } from './links';
import classes from './OrderLines.module.css';

const LIMIT = 5;

interface Props {
  of: { client_id?: string; company_id?: string };
  pathOf: (id: string) => string;
  /** The record is not the client. */
  withClient?: boolean;
}

/** The newest orders of a record, for its preview. */
export function OrderLines({ of, pathOf, withClient = false }: Props) {
  const { t } = useTranslation('shell');
  const { data, error, refetch } = useInfiniteQuery(lists.spvs({ ...of, limit: LIMIT }));
  if (error && !data) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} mt="md" />;
  return (
    <section className={classes.lines} aria-label={t('record.orders')}>
      <Text fw={500} size="sm">
        {t('record.orders')}{' '}
        <Text span c="dimmed" size="xs" className="num">
          {data.total?.rows}
        </Text>
      </Text>
      {data.rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('record.no_orders')}
        </Text>
      )}
      <ul>
        {data.rows.map((spv) => (
          <li key={spv.id}>
            <span className={spv.vehicle_name ? undefined : 'mono'}>
              <RecordLink to={pathOf(spv.id)} name={orderName(spv)} />
            </span>
            <StatusBadge kind="spv" status={spv.status} />
            <Text size="xs" c="dimmed">
              {[withClient && spv.client_name, spv.current_step].filter(Boolean).join(' · ')}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
