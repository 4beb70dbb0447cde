import { useTranslation } from 'react-i18next';
import type { Spv } from '../../api/types';
import { paths } from '../../paths';
import { Section } from '../../ui/Section';
import { useMe } from '../session/me';
import { InvoiceTable } from './InvoiceTable';

/** What is owed for one order. */
export function OrderInvoices({ spv }: { spv: Pick<Spv, 'id'> }) {
  const { t } = useTranslation('billing');
  const me = useMe();
  const pathOf = me.role === 'client' ? paths.clientInvoice : paths.employeeInvoice;
  return (
    <Section title={t('list')} flush>
      <InvoiceTable query={{ spv_id: spv.id }} pathOf={pathOf} />
    </Section>
  );
}
