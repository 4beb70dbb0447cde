import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../../ui/PageHeader';
import { BillingPanel } from './BillingPanel';

export function Component() {
  const { t } = useTranslation('billing');
  return (
    <>
      <PageHeader title={t('title')} text={t('text')} />
      <BillingPanel />
    </>
  );
}
