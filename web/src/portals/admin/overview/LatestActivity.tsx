import { Anchor } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../../api/queries';
import { paths } from '../../../paths';
import { rowsState } from '../../../shared/grid/listState';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { useLogColumns } from '../logs/columns';
import { useLiveTail } from '../logs/useLiveTail';

/** Latest activity of all users. */
export function LatestActivity() {
  const { t } = useTranslation(['admin', 'common']);
  const query = useInfiniteQuery(queries.logs({ limit: 8 }));
  const columns = useLogColumns({ brief: true });
  useLiveTail(true);
  return (
    <Section
      title={t('common:activity.title')}
      actions={
        <Anchor component={Link} to={paths.adminLogs} size="sm" aria-label={t('common:activity.view_all_of')}>
          {t('common:activity.view_all')}
        </Anchor>
      }
      flush
    >
      <RowGrid
        label={t('common:activity.title')}
        columns={columns}
        state={{ ...rowsState(query), more: undefined }}
        rowKey={(row) => String(row.seq)}
        empty={<EmptyState icon={<IconHistory size={20} />} title={t('common:activity.empty')} />}
      />
    </Section>
  );
}
