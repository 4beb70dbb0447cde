import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { Section } from '../../ui/Section';
import { ErrorState } from '../../ui/ErrorState';
import { Conversation } from './Conversation';

/** Conversation about an order. `notes`: staff page. */
export function OrderThread({ spvId, notes }: { spvId: string; notes?: boolean }) {
  const { t } = useTranslation('messages');
  const { data, error, refetch } = useInfiniteQuery(queries.threads({ spv_id: spvId }));
  return (
    <Section title={t('title')} flush>
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={160} m="md" width="auto" />}
      {data && <Conversation thread={data[0]} to={{ spv_id: spvId }} label={t('title')} notes={notes} />}
    </Section>
  );
}
