import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Bank } from '../../api/types';
import { date, money } from '../../messages/format';
import { CopyButton } from '../../ui/CopyButton';
import { DetailList } from '../../ui/DetailList';
import { Section } from '../../ui/Section';
import type { Payment } from './nextPayment';

interface Props {
  bank: Bank | null;
  /** Invoice number for the reference; undefined for several invoices. */
  reference?: string;
  /** What is to be paid; undefined for several invoices. */
  payment?: Payment;
}

/** Bank details for a transfer. */
export function BankDetails({ bank, reference, payment }: Props) {
  const { t } = useTranslation('billing');
  return (
    <Section
      title={t('bank.title')}
      actions={bank && <CopyButton text={bank.account_number} name={t(`bank.number_${bank.kind}`)} />}
    >
      {bank ? (
        <BankFacts bank={bank} reference={reference ?? t('bank.reference_text')} payment={payment} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('bank.none')}
        </Text>
      )}
    </Section>
  );
}

/** An IBAN in groups of four. */
const inGroups = (iban: string) => iban.replaceAll(/(.{4})(?=.)/g, '$1 ');

export function BankFacts({
  bank,
  reference,
  payment,
}: {
  bank: Bank;
  reference: string;
  payment?: Payment;
}) {
  const { t } = useTranslation('billing');
  return (
    <DetailList
      details={[
        ...(payment
          ? [
              [
                t('bank.amount'),
                t('bank.amount_by', {
                  amount: money(payment.amount, payment.currency),
                  date: date(payment.due_date),
                }),
              ] as [string, string],
            ]
          : []),
        [t('bank.account_holder'), bank.account_holder],
        [t('bank.bank_name'), bank.bank_name],
        [
          t(`bank.number_${bank.kind}`),
          bank.kind === 'iban' ? inGroups(bank.account_number) : bank.account_number,
        ],
        [t(`bank.code_${bank.kind}`), bank.bank_code],
        [t('bank.reference'), reference],
      ]}
    />
  );
}
