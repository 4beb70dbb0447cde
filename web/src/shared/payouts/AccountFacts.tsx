import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PayoutAccount } from '../../api/types';
import { dateTime } from '../../messages/format';
import { DetailList } from '../../ui/DetailList';

/** Bank account of a partner, masked, and whether it is confirmed. */
export function AccountFacts({ account }: { account: PayoutAccount | null }) {
  const { t } = useTranslation(['partners', 'names']);
  if (!account) {
    return (
      <Text size="sm" c="dimmed">
        {t('account.none')}
      </Text>
    );
  }
  return (
    <DetailList
      details={[
        [t('names:field.account_holder'), account.account_holder],
        [t(account.has_iban ? 'names:field.iban' : 'names:field.account_number'), account.number],
        [t('names:field.routing_number'), account.routing_number],
        [t('names:field.bic'), account.bic],
        [
          t('account.state'),
          account.confirmed_at
            ? t('account.confirmed', { time: dateTime(account.confirmed_at) })
            : t('account.unconfirmed'),
        ],
      ]}
    />
  );
}
