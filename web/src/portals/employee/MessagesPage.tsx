import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../../paths';
import { Inbox } from '../../shared/messages/Inbox';
import { PageHeader } from '../../ui/PageHeader';
import { orderNameOf } from '../../shared/spvs/orderName';

/** Messages with all clients. */
export function Component() {
  const { t } = useTranslation('messages');
  return (
    <>
      <PageHeader title={t('title')} text={t('text_staff')} />
      <Inbox
        staff
        about={(thread) => (
          <>
            {thread.client.name} ·{' '}
            {thread.spv_id ? (
              <Anchor
                component={Link}
                to={paths.employeeOrder(thread.spv_id)}
                className={thread.vehicle_name ? undefined : 'mono'}
                fw="inherit"
              >
                {orderNameOf(thread)}
              </Anchor>
            ) : (
              t('support')
            )}
          </>
        )}
      />
    </>
  );
}
