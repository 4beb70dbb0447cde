import { Stack } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import { PageHeader } from '../../ui/PageHeader';
import { SearchBox } from '../../ui/SearchBox';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { ExportButton } from '../ExportButton';
import { tableState } from '../tableState';
import { useParam } from '../queryParams';
import { DocumentTable } from './DocumentTable';
import { usePortalLinks } from './links';
import { UploadArea } from './UploadArea';

/** Document library across orders. */
export function DocumentsPage() {
  const { t } = useTranslation(['documents', 'common']);
  const [q, setQ] = useParam('q');
  const { isClient } = usePortalLinks();
  const query = { q: q || undefined };
  const state = tableState(useInfiniteQuery(queries.documents(query)));
  return (
    <>
      <PageHeader title={t('title')} text={isClient ? t('text') : t('text_staff')} />
      <Stack gap="md">
        {isClient && (
          <Section title={t('upload.title')}>
            <UploadArea wholePage target={{}} label={t('upload.title')} />
          </Section>
        )}
        <Section
          title={t('all')}
          flush
          actions={
            <>
              <SearchBox label={t('search')} value={q} onChange={setQ} />
              <ExportButton
                name="documents"
                load={() => body(api.GET('/rest/v1/documents.csv', { params: { query }, parseAs: 'blob' }))}
              />
            </>
          }
        >
          <DocumentTable
            label={t('all')}
            state={state}
            across
            empty={
              <EmptyState
                icon={<IconFiles size={20} />}
                title={q ? t('common:no_match', { q }) : t('empty')}
                text={!q && isClient ? t('empty_text') : undefined}
              />
            }
          />
        </Section>
      </Stack>
    </>
  );
}
