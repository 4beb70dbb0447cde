import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Request } from '../../api/types';
import { dateTime, money } from '../../messages/format';
import { DocumentLines } from '../documents/DocumentLine';
import { DetailList } from '../../ui/DetailList';

/** What was asked for, and what became of it. */
export function RequestDetails({ request }: { request: Request }) {
  const { t } = useTranslation(['requests', 'names']);
  const { order, decided_at: decided } = request;
  return (
    <Stack gap="md">
      <DetailList
        details={[
          [t('asked.names'), order?.proposed_names.join(', ')],
          [t('asked.country'), order && t(`names:country.${order.country}`)],
          [t('asked.amount'), order && money(order.purchase_amount, order.currency)],
          [t('asked.email'), request.email],
          [t('asked.sent'), dateTime(request.created_at)],
          [
            t('asked.decided'),
            decided &&
              (request.decided_by
                ? t('asked.decided_by', { date: dateTime(decided), name: request.decided_by })
                : dateTime(decided)),
          ],
          [order ? t('asked.purpose') : t('asked.message'), request.message],
        ]}
      />
      {request.documents.length > 0 && (
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            {t('asked.documents')}
          </Text>
          <DocumentLines documents={request.documents} label={t('asked.documents')} />
        </div>
      )}
    </Stack>
  );
}
