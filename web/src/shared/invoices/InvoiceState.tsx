import { useTranslation } from 'react-i18next';
import type { Invoice } from '../../api/types';
import { StatusBadge } from '../../ui/StatusBadge';
import { Tag } from '../../ui/Tag';

/** Status of an invoice, including overdue. */
export function InvoiceState({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('billing');
  return (
    <>
      <StatusBadge kind="invoice" status={invoice.status} />
      {invoice.overdue && (
        <>
          {' '}
          <Tag tone="stop">{t('overdue')}</Tag>
        </>
      )}
    </>
  );
}
