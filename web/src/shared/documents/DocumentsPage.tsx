import { Stack } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { lists, type DocumentQuery } from '../../api/lists';
import type { Document, DocumentRequestStatus } from '../../api/types';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { ExportButton } from '../ExportButton';
import { ListGrid, type GridQuery } from '../grid/ListGrid';
import { useDocumentColumns } from './documentColumns';
import { usePortalLinks } from './links';
import { UploadArea } from './UploadArea';

/** Review statuses to filter by. Not `requested`: such a request has no document yet. */
const reviewStatuses: DocumentRequestStatus[] = ['submitted', 'needs_revision', 'approved', 'waived'];

function documentQuery({ q, order, limit, filters }: GridQuery): DocumentQuery {
  return {
    q,
    order,
    limit,
    request_status: reviewStatuses.find((known) => known === filters.status),
    deleted: filters.deleted === 'true' || undefined,
  };
}

const exportDocuments = (query: DocumentQuery) =>
  body(api.GET('/rest/v1/documents.csv', { params: { query }, parseAs: 'blob' }));

/** Document library across orders. */
export function DocumentsPage() {
  const { t } = useTranslation(['documents', 'common', 'names']);
  const { isClient, document: pathOf } = usePortalLinks();
  const columns = useDocumentColumns(true);
  const status = {
    key: 'status',
    label: t('common:status'),
    choices: reviewStatuses.map((value) => ({ value, label: t(`names:document_request_status.${value}`) })),
  };
  const deleted = {
    key: 'deleted',
    label: t('deleted.filter'),
    choices: [{ value: 'true', label: t('deleted.yes') }],
  };
  return (
    <>
      <PageHeader title={t('title')} text={isClient ? t('text') : t('text_staff')} />
      <Stack gap="md">
        {isClient && (
          <Section title={t('upload.title')}>
            <UploadArea wholePage target={{}} label={t('upload.title')} />
          </Section>
        )}
        <Section title={t('all')} flush>
          <ListGrid<Document>
            list="documents"
            label={t('all')}
            columns={columns}
            rows={(query) => lists.documents(documentQuery(query))}
            filters={isClient ? [status] : [status, deleted]}
            views={
              isClient
                ? []
                : [
                    { key: 'submitted', name: t('submitted'), query: 'status=submitted' },
                    { key: 'deleted', name: t('deleted.filter'), query: 'deleted=true' },
                  ]
            }
            rowKey={(document) => document.id}
            rowName={(document) => document.name}
            defaultSort={{ key: 'updated_at', descending: true }}
            hrefOf={(document) => pathOf(document.id)}
            search={t('search')}
            bulk={(rows) => (
              <ExportButton
                name="documents"
                load={() => exportDocuments({ ids: rows.map(({ id }) => id).join(',') })}
              />
            )}
            actions={(query) => (
              <ExportButton name="documents" load={() => exportDocuments(documentQuery(query))} />
            )}
            empty={
              <EmptyState
                icon={<IconFiles size={20} />}
                title={t('empty')}
                text={isClient ? t('empty_text') : undefined}
              />
            }
          />
        </Section>
      </Stack>
    </>
  );
}
