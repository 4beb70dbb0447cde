import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/PageHeader';
import { UsersTable } from './UsersTable';

export function Component() {
  const { t } = useTranslation('dashboards');
  return (
    <>
      <PageHeader title={t('admin.users_title')} />
      <UsersTable />
    </>
  );
}
