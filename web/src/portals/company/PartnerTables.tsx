import { Stack, Title } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { CompanyDashboard, Spv } from '../../api/types';
import { DataTable, type Column } from '../../ui/DataTable';
import { Money } from '../../ui/Money';
import { ProgressBar } from '../../ui/ProgressBar';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/states';
import { StatusBadge } from '../../ui/StatusBadge';

interface Props {
  partners: CompanyDashboard['partners'] | undefined;
  spvs: Spv[] | undefined;
  retry: () => void;
}

/** 'Clients by ISO Partner': one table a partner, and one for orders without one. */
export function PartnerTables({ partners, spvs, retry }: Props) {
  const { t } = useTranslation(['dashboards', 'common']);
  const columns: Column<Spv>[] = [
    { key: 'client', header: t('company.client_name'), cell: (spv) => spv.client_name },
    {
      key: 'spv',
      width: 200,
      header: t('company.identifier'),
      cell: (spv) => <span className="mono">{spv.identifier}</span>,
    },
    {
      key: 'status',
      width: 130,
      header: t('common:status'),
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    {
      key: 'progress',
      width: 220,
      header: t('progress'),
      cell: (spv) => (
        <ProgressBar percent={spv.progress.percent} label={t('progress_of', { name: spv.identifier })} />
      ),
    },
    {
      key: 'amount',
      width: 170,
      header: t('amount'),
      align: 'right',
      cell: (spv) => <Money amount={spv.amount} currency={spv.currency} />,
    },
  ];
  const empty = <EmptyState icon={<IconUsers size={20} />} title={t('no_clients')} />;
  // A partner whose orders are all on a later page has no table yet.
  const loaded = partners?.filter(
    (partner) => partner.spvs === 0 || spvs?.some((spv) => spv.iso_id === partner.iso_id),
  );
  return (
    <Stack gap="sm" component="section" aria-label={t('company.by_partner')}>
      <Title order={2}>{t('company.by_partner')}</Title>
      {(!loaded || loaded.length === 0) && (
        <Section title={loaded ? t('company.iso_partners') : t('common:loading')} flush>
          <DataTable
            label={t('company.by_partner')}
            columns={columns}
            state={{ rows: loaded && [], error: null, retry }}
            rowKey={(spv) => spv.id}
            empty={empty}
          />
        </Section>
      )}
      {loaded?.map((partner) => {
        const name = partner.name ?? t('company.unassigned');
        return (
          <Section key={partner.iso_id} title={`${name} (${partner.spvs})`} flush>
            <DataTable
              label={name}
              columns={columns}
              state={{ rows: spvs?.filter((spv) => spv.iso_id === partner.iso_id), error: null, retry }}
              rowKey={(spv) => spv.id}
              empty={empty}
            />
          </Section>
        );
      })}
    </Stack>
  );
}
