import { useTranslation } from 'react-i18next';
import { ListPage } from '../ListPage';
import { IsosTab } from './IsosTab';

export function Component() {
  const { t } = useTranslation('shell');
  return (
    <ListPage title={t('nav.isos')}>
      <IsosTab />
    </ListPage>
  );
}
