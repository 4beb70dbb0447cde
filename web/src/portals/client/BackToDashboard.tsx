import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../../paths';

export function BackToDashboard() {
  const { t } = useTranslation('client');
  return (
    <Anchor component={Link} to={paths.clientDashboard} fz="inherit">
      ← {t('back')}
    </Anchor>
  );
}
