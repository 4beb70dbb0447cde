import { IconUser, IconUserPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { paths } from '../../paths';
import type { SearchProps } from '../../shared/shell/Palette';
import { combineResults, resultGroup } from '../../shared/shell/search';

const LIMIT = 6;

/** Search of an ISO partner: own clients and leads. */
export function IsoSearch({ q, children }: SearchProps) {
  const { t } = useTranslation(['shell', 'partners']);
  const enabled = q !== '';
  const clients = useInfiniteQuery({ ...queries.clients({ q, limit: LIMIT }), enabled });
  const leads = useInfiniteQuery({ ...queries.leads({ q, limit: LIMIT }), enabled });
  const found = combineResults(
    q,
    resultGroup(t('search.clients'), clients, (client) => ({
      id: `client ${client.id}`,
      label: `${client.first_name} ${client.last_name}`,
      text: client.email,
      icon: IconUser,
      to: paths.isoClient(client.id),
    })),
    resultGroup(t('partners:nav.leads'), leads, (lead) => ({
      id: `lead ${lead.id}`,
      label: `${lead.first_name} ${lead.last_name}`,
      text: lead.email,
      icon: IconUserPlus,
      to: paths.isoLeadsOf(lead.email),
    })),
  );
  return children(found);
}
