import { IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { paths } from '../../paths';
import type { SearchProps } from '../../shared/shell/Palette';
import { combineResults, resultGroup } from '../../shared/shell/search';

const LIMIT = 8;

/** Search of a super admin: users of every role. */
export function AdminSearch({ q, children }: SearchProps) {
  const { t } = useTranslation('admin');
  const { data, isPlaceholderData, error } = useQuery({
    ...queries.users({ q, limit: LIMIT }),
    enabled: q !== '',
  });
  const found = combineResults(
    q,
    resultGroup(t('nav.users'), { data: data?.items, isPlaceholderData, error }, (user) => ({
      id: `user ${user.id}`,
      label: `${user.first_name} ${user.last_name}`,
      text: user.email,
      icon: IconUser,
      to: paths.adminUser(user.id),
    })),
  );
  return children(found);
}
