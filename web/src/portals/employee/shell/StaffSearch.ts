import {
  IconBuilding,
  IconFileText,
  IconFolder,
  IconInbox,
  IconReceipt,
  IconTags,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { SearchHit } from '../../../api/types';
import { paths } from '../../../paths';
import type { SearchProps } from '../../../shared/shell/Palette';

const kinds = ['invoice', 'spv', 'client', 'company', 'document', 'request', 'service'] as const;
const kindIcons = {
  invoice: IconReceipt,
  spv: IconFolder,
  client: IconUser,
  company: IconBuilding,
  document: IconFileText,
  request: IconInbox,
  service: IconTags,
};

/** Page of a search result. */
function resultPath(hit: SearchHit): string {
  switch (hit.kind) {
    case 'invoice':
      return paths.employeeInvoice(hit.id);
    case 'spv':
      return paths.employeeOrder(hit.id);
    case 'client':
      return paths.employeeClient(hit.id);
    case 'company':
      return paths.employeeCompany(hit.id);
    case 'document':
      return paths.employeeDocument(hit.id);
    case 'request':
      return paths.request(hit.id);
    case 'service':
      return paths.employeePriceList;
  }
}

/** Global search of staff: orders, clients, companies, documents, requests and services, and invoices by number. */
export function StaffSearch({ q, children }: SearchProps) {
  const { t } = useTranslation('employee');
  const { data, error } = useQuery({ ...queries.search(q), enabled: q !== '' });
  const hits = q ? (data ?? []) : [];
  const groups = kinds.map((kind) => ({
    label: t(`search.${kind}`),
    commands: hits
      .filter((hit) => hit.kind === kind)
      .map((hit) => ({
        id: `${kind} ${hit.id}`,
        label: hit.title,
        text: hit.text,
        icon: kindIcons[kind],
        to: resultPath(hit),
      })),
  }));
  return children({ groups, error, isSettled: q === '' || data !== undefined || error !== null });
}
