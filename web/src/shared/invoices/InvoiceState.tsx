import { useTranslation } from 'react-i18next';
import type { Invoice } from '../../api/types';
import { StatusBadge } from '../../ui/StatusBadge';
import { Tag } from '../../ui/Tag';

/** Status of an invoice. Overdue says that it is due as well; a part payment stands beside it. */
export function InvoiceState({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('billing');
  if (!invoice.overdue) return <StatusBadge kind="invoice" status={invoice.status} />;
  return (
    <>
      {invoice.status !== 'due' && <StatusBadge kind="invoice" status={invoice.status} />}{' '}
      <Tag tone="stop">{t('overdue')}</Tag>
    </>
  );
}
