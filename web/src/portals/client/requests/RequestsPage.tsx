import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../../../paths';
import { OwnRequestsPage } from '../../../shared/requests/OwnRequestsPage';

/** Requests of the client: orders and others. */
export function Component() {
  const { t } = useTranslation('requests');
  return (
    <OwnRequestsPage
      orderPath={paths.clientOrder}
      actions={
        <Button component={Link} to={paths.clientNewOrder} variant="default">
          {t('own.new')}
        </Button>
      }
    />
  );
}
