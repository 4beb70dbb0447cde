import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Request } from '../../../api/types';
import { money } from '../../../messages/format';

/** What a request asks for: the proposed name and amount of an order, or the message. */
export function RequestSummary({ request }: { request: Request }) {
  const { t } = useTranslation(['names', 'requests']);
  const { order, message, data } = request;
  if (order)
    return (
      <>
        {order.proposed_names[0]}
        <Text size="xs" c="dimmed">
          <span className="num">{money(order.purchase_amount, order.currency)}</span>
          {` · ${t(`country.${order.country}`)}`}
        </Text>
      </>
    );
  const account = typeof data.account_type === 'string' ? data.account_type : null;
  return (
    <>
      {account && t(`requests:applies.${account}`)}
      <Text size={account ? 'xs' : 'sm'} c={account ? 'dimmed' : undefined} lineClamp={2}>
        {message || (account ? null : '—')}
      </Text>
    </>
  );
}
