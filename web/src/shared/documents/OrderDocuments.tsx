import { Button, Skeleton, Text } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { SpvDetail } from '../../api/types';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { rowsState } from '../grid/listState';
import classes from './documents.module.css';
import { DocumentTable } from './DocumentTable';
import { usePortalLinks } from './links';
import { isSettled, useRequests } from './RequestedDocuments';
import { RequestForm } from './RequestForm';
import { RequestList } from './RequestList';
import { UploadArea } from './UploadArea';

const CLOSED_STATUSES = ['on_hold', 'cancelled', 'closed'];

/** Documents of an order and its document requests; clients have the open ones among their tasks. */
export function OrderDocuments({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('documents');
  const { isClient } = usePortalLinks();
  const [asking, setAsking] = useState(false);
  const requests = useRequests(spv);
  const settled = requests.data?.filter(isSettled) ?? [];
  const state = rowsState(useInfiniteQuery(queries.documents({ spv_id: spv.id })));
  const mayAsk = !isClient && !CLOSED_STATUSES.includes(spv.status);
  return (
    <>
      {!isClient && (
        <Section
          title={t('requests')}
          flush
          actions={
            mayAsk && (
              <Button variant="default" onClick={() => setAsking(true)}>
                {t('request.new')}
              </Button>
            )
          }
        >
          {requests.error && !requests.data && (
            <ErrorState message={errorText(requests.error)} onRetry={() => void requests.refetch()} />
          )}
          {!requests.data && !requests.error && <Skeleton height={120} m="md" width="auto" />}
          {requests.data?.length === 0 && (
            <EmptyState icon={<IconFiles size={20} />} title={t('request.none')} />
          )}
          {requests.data && <RequestList requests={requests.data} spv={spv} label={t('requests')} />}
          {asking && <RequestForm spv={spv} onClose={() => setAsking(false)} />}
        </Section>
      )}
      {isClient && settled.length > 0 && (
        <Section title={t('requests.closed')} flush>
          <RequestList requests={settled} spv={spv} label={t('requests.closed')} />
        </Section>
      )}
      {/* With the requests above it: nothing moves. */}
      <div id="documents" className={classes.place} hidden={!isClient && requests.isLoading}>
        <Section title={t('title')} flush>
          <DocumentTable
            label={t('of_order', { name: spv.identifier })}
            state={state}
            empty={<EmptyState icon={<IconFiles size={20} />} title={t('empty')} />}
          />
          <div className={classes.body}>
            {spv.can.includes('upload') ? (
              <UploadArea
                wholePage
                target={{ spv_id: spv.id }}
                label={t('upload.to', { name: spv.identifier })}
              />
            ) : (
              <Text size="sm" c="dimmed">
                {t(`upload.over_${spv.status}`)}
              </Text>
            )}
          </div>
        </Section>
      </div>
    </>
  );
}
