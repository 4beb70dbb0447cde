import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { paths } from '../../../paths';
import { Crumb } from '../../../shared/shell/Crumb';
import { InvoiceView } from '../../../shared/invoices/InvoiceView';

export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('billing');
  const trail = <Crumb to={paths.clientBilling}>{t('title')}</Crumb>;
  return <InvoiceView id={id} trail={trail} />;
}
