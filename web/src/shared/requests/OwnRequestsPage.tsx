import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router-dom';
import { requestsPath } from '../../paths';
import { PageHeader } from '../../ui/PageHeader';
import { useMe } from '../session/me';
import { OwnRequests } from './OwnRequests';
import { QuickSubmit } from './QuickSubmit';
import { quickKinds } from './quickRequestKinds';

interface Props {
  /** Additional request forms beside Quick Submit. */
  actions?: ReactNode;
  orderPath?: (id: string) => string;
}

/** Requests page of non-staff roles. */
export function OwnRequestsPage({ actions, orderPath }: Props) {
  const { t } = useTranslation('requests');
  const me = useMe();
  const [submitting, setSubmitting] = useState(false);
  // Super admins in the company portal use the desk.
  if (me.role === 'super_admin') return <Navigate to={requestsPath(me.role)} replace />;
  return (
    <>
      <PageHeader
        title={t('own.title')}
        text={t('own.text')}
        actions={
          <>
            {actions}
            <Button leftSection={<IconPlus size={15} />} onClick={() => setSubmitting(true)}>
              {t('submit')}
            </Button>
          </>
        }
      />
      <OwnRequests
        title={t('own.all')}
        empty={t('own.none')}
        emptyText={t('own.none_text')}
        orderPath={orderPath}
      />
      {submitting && (
        <QuickSubmit kinds={quickKinds(me.request_kinds)} onClose={() => setSubmitting(false)} />
      )}
    </>
  );
}

export function Component() {
  return <OwnRequestsPage />;
}
