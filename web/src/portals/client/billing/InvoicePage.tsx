import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { paths } from '../../../paths';
import { InvoiceView } from '../../../shared/invoices/InvoiceView';

export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('billing');
  const list = { to: paths.clientBilling, name: t('title') };
  return <InvoiceView id={id} list={list} />;
}
