import { IconFileText, IconFolder } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { paths } from '../../paths';
import type { SearchProps } from '../../shared/shell/Palette';
import { combineResults, resultGroup } from '../../shared/shell/search';

const LIMIT = 6;

/** Search of a client: own orders and documents. */
export function ClientSearch({ q, children }: SearchProps) {
  const { t } = useTranslation('shell');
  const enabled = q !== '';
  const orders = useInfiniteQuery({ ...queries.spvs({ q, limit: LIMIT }), enabled });
  const documents = useInfiniteQuery({ ...queries.documents({ q, limit: LIMIT }), enabled });
  const found = combineResults(
    q,
    resultGroup(t('search.orders'), orders, (spv) => ({
      id: `spv ${spv.id}`,
      label: spv.identifier,
      text: spv.order_number,
      icon: IconFolder,
      to: paths.clientOrder(spv.id),
    })),
    resultGroup(t('search.documents'), documents, (document) => ({
      id: `document ${document.id}`,
      label: document.name,
      icon: IconFileText,
      to: paths.clientDocument(document.id),
    })),
  );
  return children(found);
}
