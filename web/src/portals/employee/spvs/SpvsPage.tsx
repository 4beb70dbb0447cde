import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { paths } from '../../../paths';
import { useParam } from '../../../shared/queryParams';
import { useMe } from '../../../shared/session/me';
import { ListPage } from '../ListPage';
import { SpvForm } from './SpvForm';
import { SpvGrid } from './SpvGrid';

export function Component() {
  const { t } = useTranslation('employee');
  const me = useMe();
  const navigate = useNavigate();
  const [asked, setAsked] = useParam('new');
  return (
    <ListPage title={t('tab.spvs')}>
      <SpvGrid
        actions={
          me.can.includes('create_spv') && (
            <Button onClick={() => setAsked('order')}>{t('spvs.create')}</Button>
          )
        }
      />
      {asked === 'order' && (
        <SpvForm
          onClose={() => setAsked('')}
          onCreated={(spv) => void navigate(paths.employeeOrder(spv.id))}
        />
      )}
    </ListPage>
  );
}
