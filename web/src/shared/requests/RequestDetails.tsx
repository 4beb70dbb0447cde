import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Request } from '../../api/types';
import { money } from '../../messages/format';
import { RelativeTime } from '../../ui/DateText';
import { DetailList } from '../../ui/DetailList';
import { DocumentLines } from '../documents/DocumentLine';
import { UserLink } from '../records/links';
import { applicationFields } from './applicationFields';
import classes from './RequestDetails.module.css';

/** All fields of a request. */
export function RequestDetails({ request }: { request: Request }) {
  const { t } = useTranslation(['requests', 'names']);
  const { order } = request;
  const account = typeof request.data.account_type === 'string' ? request.data.account_type : null;
  const form = Object.entries(applicationFields(request));
  return (
    <Stack gap="md">
      <DetailList
        details={[
          [t('names:field.kind'), t(`names:request_kind.${request.kind}`)],
          [t('column.from'), <UserLink key="from" id={request.user_id} name={request.name} />],
          [t('asked.email'), request.email],
          [t('asked.sent'), <RelativeTime key="sent" at={request.created_at} />],
          [t('asked.account'), account && t(`applies.${account}`)],
          [t('asked.names'), order?.proposed_names.join(', ')],
          [t('asked.country'), order && t(`names:country.${order.country}`)],
          [
            t('names:field.service_id'),
            order?.service && `${order.service.name} · ${money(order.service.price, order.service.currency)}`,
          ],
          [t('asked.amount'), order && money(order.purchase_amount, order.currency)],
        ]}
      />
      {form.length > 0 && (
        <div className={classes.part}>
          <DetailList
            details={form.map(([field, value]) => [
              t(`names:field.${field === 'company_size' ? 'size' : field}`),
              field === 'country' ? t(`names:country.${value}`) : value,
            ])}
          />
        </div>
      )}
      {request.message && (
        <div className={classes.part}>
          <Text size="xs" c="dimmed" mb={4}>
            {order ? t('asked.purpose') : t('asked.message')}
          </Text>
          <Text size="sm" className={classes.said}>
            {request.message}
          </Text>
        </div>
      )}
      {request.documents.length > 0 && (
        <div className={classes.part}>
          <Text size="xs" c="dimmed" mb={4}>
            {t('asked.documents')}
          </Text>
          <DocumentLines documents={request.documents} label={t('asked.documents')} />
        </div>
      )}
    </Stack>
  );
}
