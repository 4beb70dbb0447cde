import { IconFolder, IconUser } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLoaderData } from 'react-router-dom';
import { queries } from '../../api/queries';
import type { Me } from '../../api/types';
import { paths } from '../../paths';
import type { SearchProps } from '../../shared/shell/Palette';
import { combineResults, resultGroup } from '../../shared/shell/search';
import { useCompanyId, useCompanyPath } from './companyContext';

const LIMIT = 6;

/** Search of a company: its orders and clients. */
export function CompanySearch({ q, children }: SearchProps) {
  const { t } = useTranslation('shell');
  const to = useCompanyPath();
  const company = useCompanyId(useLoaderData<Me>()) ?? '';
  const enabled = q !== '' && company !== '';
  const orders = useInfiniteQuery({ ...queries.spvs({ company_id: company, q, limit: LIMIT }), enabled });
  const clients = useInfiniteQuery({ ...queries.companyClients(company, { q, limit: LIMIT }), enabled });
  const found = combineResults(
    enabled ? q : '',
    resultGroup(t('search.orders'), orders, (spv) => ({
      id: `spv ${spv.id}`,
      label: spv.identifier,
      text: spv.client_name,
      icon: IconFolder,
      to: to(paths.companySpv(spv.id)),
    })),
    resultGroup(t('search.clients'), clients, (client) => ({
      id: `client ${client.id}`,
      label: `${client.first_name} ${client.last_name}`,
      text: client.email,
      icon: IconUser,
      to: to(paths.companyClientsFor(client.email)),
    })),
  );
  return children(found);
}
