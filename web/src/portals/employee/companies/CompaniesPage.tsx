import { useTranslation } from 'react-i18next';
import { ListPage } from '../ListPage';
import { CompaniesTab } from './CompaniesTab';

export function Component() {
  const { t } = useTranslation('employee');
  return (
    <ListPage title={t('tab.companies')}>
      <CompaniesTab />
    </ListPage>
  );
}
