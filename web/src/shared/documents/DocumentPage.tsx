import { Alert, Anchor, Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { api, body, versionedBody } from '../../api/client';
import { queryClient } from '../../api/cache';
import { ApiError, errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { DocumentDetail, DocumentVersion } from '../../api/types';
import { actorName } from '../../messages/actorName';
import { dateTime } from '../../messages/format';
import { ClientLink, UserLink } from '../records/links';
import { refetchAll } from '../StaleProblem';
import { Crumb } from '../shell/Crumb';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../grid/RowGrid';
import { RelativeTime } from '../../ui/DateText';
import { DetailList } from '../../ui/DetailList';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { StatusBadge } from '../../ui/StatusBadge';
import { RecordError } from '../records/RecordError';
import { toast } from '../../ui/toasts';
import { TwoColumns } from '../../ui/TwoColumns';
import { DocumentActions } from './DocumentActions';
import classes from './documents.module.css';
import { usePortalLinks } from './links';
import { ScanTag } from './ScanTag';
import { UploadArea } from './UploadArea';
import { VersionButtons } from './VersionButtons';
import { fileFacts } from './labels';
import { orderNameOf } from '../spvs/orderName';

/** Document page: versions and upload. */
export function DocumentPage() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['documents', 'common']);
  const places = usePortalLinks();
  const { data: document, error, refetch } = useQuery(queries.document(id));
  if (error && !document) {
    const list = { to: places.documents, name: t('title') };
    return <RecordError error={error} kind={t('one')} list={list} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <PageHeader
        title={document?.name ?? t('one')}
        text={document && fileFacts(t, document.latest)}
        status={
          document?.request_status && <StatusBadge kind="document_request" status={document.request_status} />
        }
        actions={document && <DocumentActions document={document} />}
        trail={<Crumb to={places.documents}>{t('title')}</Crumb>}
      />
      {document?.deleted_at && (
        <Alert className={classes.deleted} role="status">
          {t('deleted.notice', { when: dateTime(document.deleted_at) })}
        </Alert>
      )}
      {document ? (
        <TwoColumns main={<Versions document={document} />} side={<Side document={document} />} />
      ) : (
        <Skeleton height={320} radius="md" />
      )}
    </>
  );
}

function Versions({ document }: { document: DocumentDetail }) {
  const { t } = useTranslation(['documents', 'common']);
  const { isClient } = usePortalLinks();
  const [restoring, setRestoring] = useState<DocumentVersion | null>(null);
  const columns: GridColumn<DocumentVersion>[] = [
    {
      key: 'number',
      phone: 'side',
      header: t('column.version'),
      cell: (version) => (
        <>
          {version.number}
          {version.restored_from !== null && (
            <span className={classes.aside}> {t('restored_from', { number: version.restored_from })}</span>
          )}
        </>
      ),
    },
    {
      key: 'file',
      phone: 'title',
      header: t('column.file'),
      cell: (version) => (
        <>
          {version.file_name} <ScanTag scan={version.scan} />
          <div className={classes.aside}>{fileFacts(t, version)}</div>
          {!isClient && (
            <div className={`${classes.hash} mono`}>
              <span className="sr-only">{t('hash')}: </span>
              {version.sha256}
            </div>
          )}
        </>
      ),
    },
    {
      key: 'who',
      phone: 'text',
      header: t('column.who'),
      cell: ({ uploaded_by: { id, name } }) => <UserLink id={id} name={actorName(t, name)} />,
    },
    {
      key: 'when',
      phone: 'end',
      header: t('column.when'),
      cell: (version) => <RelativeTime at={version.created_at} />,
    },
    {
      key: 'actions',
      header: t('column.actions'),
      actions: true,
      cell: (version) => (
        <div className={classes.buttons}>
          {document.can.includes('restore') && version.id !== document.latest.id && (
            <Button
              variant="default"
              size="compact-sm"
              aria-label={t('restore.of', { number: version.number })}
              onClick={() => setRestoring(version)}
            >
              {t('restore.restore')}
            </Button>
          )}
          {!document.deleted_at && <VersionButtons version={version} />}
        </div>
      ),
    },
  ];
  return (
    <Section title={t('versions')} flush>
      <RowGrid
        label={t('versions')}
        columns={columns}
        state={{ rows: document.versions, error: null, retry: () => undefined }}
        rowKey={(version) => version.id}
        empty={null}
      />
      {restoring && <Restore document={document} version={restoring} onClose={() => setRestoring(null)} />}
    </Section>
  );
}

function Restore(props: { document: DocumentDetail; version: DocumentVersion; onClose: () => void }) {
  const { t } = useTranslation(['documents', 'common']);
  const { document, version, onClose } = props;
  const restore = useMutation({
    mutationFn: () =>
      body(
        api.POST('/rest/v1/documents/{id}/restore', {
          params: versionedBody(document),
          body: { version_id: version.id },
        }),
      ),
    onSuccess: (restored) => {
      queryClient.setQueryData(queries.document(document.id).queryKey, restored);
      void queryClient.invalidateQueries({ queryKey: ['documents'] });
      toast({ title: t('restore.done'), description: t('restore.done_text', { number: version.number }) });
      onClose();
    },
    onError: (error) => {
      if (error instanceof ApiError) refetchAll(queries.document(document.id).queryKey)(error);
      toast({ title: t('common:error'), description: errorText(error), destructive: true });
    },
  });
  return (
    <ConfirmDialog
      title={t('restore.title', { number: version.number })}
      confirmLabel={t('restore.restore')}
      busyLabel={t('common:saving')}
      busy={restore.isPending}
      onConfirm={() => restore.mutate()}
      onClose={onClose}
    >
      {t('restore.text', { number: version.number })}
    </ConfirmDialog>
  );
}

function Side({ document }: { document: DocumentDetail }) {
  const { t } = useTranslation('documents');
  const places = usePortalLinks();
  const order = document.spv_id && (
    <Anchor
      component={Link}
      to={places.order(document.spv_id)}
      className={document.vehicle_name ? undefined : 'mono'}
    >
      {orderNameOf(document)}
    </Anchor>
  );
  return (
    <>
      <Section title={t('about')}>
        <DetailList
          details={[
            [t('reference'), document.reference],
            [t('internal'), document.internal ? t('internal_text') : null],
            [
              t('column.client'),
              places.isClient ? null : (
                <ClientLink key="client" id={document.client.id} name={document.client.name} />
              ),
            ],
            [t('column.order'), order],
            [t('column.version'), String(document.versions_count)],
            [t('column.updated'), <RelativeTime key="updated" at={document.updated_at} />],
            [
              t('hash'),
              <span key="hash" className={`${classes.wholeHash} mono`}>
                {document.latest.sha256}
              </span>,
            ],
          ]}
        />
      </Section>
      {document.can.includes('upload') && (
        <Section title={t('upload.version')}>
          <UploadArea
            target={document.request_id ? { request_id: document.request_id } : { document_id: document.id }}
            label={t('upload.version')}
            single
            wholePage
          />
        </Section>
      )}
    </>
  );
}
