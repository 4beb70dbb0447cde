import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Bank } from '../../api/types';
import { CopyButton } from '../../ui/CopyButton';
import { DetailList } from '../../ui/DetailList';
import { Section } from '../../ui/Section';

interface Props {
  bank: Bank | null;
  /** Invoice number for the reference; undefined for several invoices. */
  reference?: string;
}

/** Bank details for a transfer. */
export function BankDetails({ bank, reference }: Props) {
  const { t } = useTranslation('billing');
  return (
    <Section
      title={t('bank.title')}
      actions={bank && <CopyButton text={bank.account_number} name={t('bank.account_number')} />}
    >
      {bank ? (
        <BankFacts bank={bank} reference={reference ?? t('bank.reference_text')} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('bank.none')}
        </Text>
      )}
    </Section>
  );
}

export function BankFacts({ bank, reference }: { bank: Bank; reference: string }) {
  const { t } = useTranslation('billing');
  return (
    <DetailList
      details={[
        [t('bank.account_holder'), bank.account_holder],
        [t('bank.bank_name'), bank.bank_name],
        [t('bank.account_number'), bank.account_number],
        [t('bank.bank_code'), bank.bank_code],
        [t('bank.reference'), reference],
      ]}
    />
  );
}
