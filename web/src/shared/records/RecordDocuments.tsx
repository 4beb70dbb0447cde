import { IconFiles } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../api/lists';
import type { Document } from '../../api/types';
import { EmptyState } from '../../ui/EmptyState';
import { useDocumentColumns } from '../documents/documentColumns';
import { usePortalLinks } from '../documents/links';
import { RecordGrid } from './RecordGrid';

/** Documents of a client, of all orders. */
export function RecordDocuments({ of }: { of: { client_id: string } }) {
  const { t } = useTranslation('documents');
  const places = usePortalLinks();
  const columns = useDocumentColumns(true).filter(({ key }) => key !== 'client');
  return (
    <RecordGrid<Document>
      label={t('title')}
      columns={columns}
      rows={(order) => lists.documents({ ...of, order })}
      rowKey={(document) => document.id}
      hrefOf={(document) => places.document(document.id)}
      defaultSort={{ key: 'updated_at', descending: true }}
      empty={<EmptyState icon={<IconFiles size={20} />} title={t('empty')} />}
    />
  );
}
