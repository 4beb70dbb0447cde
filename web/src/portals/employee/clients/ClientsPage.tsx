import { useTranslation } from 'react-i18next';
import { ListPage } from '../ListPage';
import { ClientsTab } from './ClientsTab';

export function Component() {
  const { t } = useTranslation('employee');
  return (
    <ListPage title={t('tab.clients')}>
      <ClientsTab />
    </ListPage>
  );
}
