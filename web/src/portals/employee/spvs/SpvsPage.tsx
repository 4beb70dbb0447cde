import { useTranslation } from 'react-i18next';
import { ListPage } from '../ListPage';
import { SpvsTab } from './SpvsTab';

export function Component() {
  const { t } = useTranslation('employee');
  return (
    <ListPage title={t('tab.spvs')}>
      <SpvsTab />
    </ListPage>
  );
}
