import { Stack, Title } from '@mantine/core';
import { IconChevronRight, IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { CompanyDashboard, Spv } from '../../api/types';
import { paths } from '../../paths';
import { OrderLabel } from '../../shared/spvs/OrderLabel';
import { orderName } from '../../shared/spvs/orderName';
import { rowsState } from '../../shared/grid/listState';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../../shared/grid/RowGrid';
import { InfoTooltip } from '../../ui/InfoTooltip';
import { Money } from '../../ui/Money';
import { ProgressBar } from '../../ui/ProgressBar';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import { useCompany, useCompanyPath } from './companyContext';
import classes from './PartnerTables.module.css';

type Partner = CompanyDashboard['partners'][number];

/** Up to this many orders tables are open initially; further ones are collapsed. */
const OPEN_ORDER_LIMIT = 50;
const ORDERS_PER_PAGE = 20;

/** Clients by ISO partner: one table per partner, and one for orders without. Each loads when opened. */
export function PartnerTables({ partners }: { partners: Partner[] | undefined }) {
  const { t } = useTranslation(['dashboards', 'common']);
  let shown = 0;
  return (
    <Stack
      gap="sm"
      component="section"
      aria-label={t('company.by_partner')}
      className={partners ? undefined : classes.waiting}
    >
      <Title order={2}>{t('company.by_partner')}</Title>
      {!partners && (
        <Section title={t('common:loading')} flush>
          <Orders label={t('company.by_partner')} />
        </Section>
      )}
      {partners?.length === 0 && (
        <Section title={t('company.iso_partners')}>
          <EmptyState icon={<IconUsers size={20} />} title={t('no_clients')} />
        </Section>
      )}
      {partners?.map((partner) => {
        shown += partner.spvs;
        return <Group key={partner.iso_id} partner={partner} openAtFirst={shown <= OPEN_ORDER_LIMIT} />;
      })}
    </Stack>
  );
}

function Group({ partner, openAtFirst }: { partner: Partner; openAtFirst: boolean }) {
  const { t } = useTranslation(['dashboards', 'company']);
  const id = useId();
  const [open, setOpen] = useState(openAtFirst);
  const name = partner.name ?? t('company.unassigned');
  return (
    <section className={classes.group} aria-label={name}>
      <div className={classes.head}>
        <h3 className={classes.title}>
          <button
            type="button"
            className={classes.button}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            <IconChevronRight className={classes.chevron} size={16} aria-hidden="true" />
            <span className={classes.name}>{name}</span>
            <span className={classes.count}>{t('company:overview.count', { count: partner.spvs })}</span>
          </button>
        </h3>
        {/* Beside the button, because interactive elements cannot be nested. */}
        <InfoTooltip
          about={name}
          text={partner.iso_id ? t('company:overview.with_partner') : t('company:overview.without_partner')}
        />
      </div>
      <div id={id} className={classes.orders} hidden={!open}>
        {open && <PartnerOrders label={name} partner={partner} />}
      </div>
    </section>
  );
}

function PartnerOrders({ label, partner }: { label: string; partner: Partner }) {
  const company = useCompany();
  const query = { company_id: company.id, iso_id: partner.iso_id ?? 'none', limit: ORDERS_PER_PAGE };
  const state = rowsState(useInfiniteQuery(queries.spvs(query)));
  return <Orders label={label} state={state} expected={Math.min(partner.spvs, ORDERS_PER_PAGE)} />;
}

const loadingState = { rows: undefined, error: null, retry: () => undefined };

interface OrdersProps {
  label: string;
  state?: ReturnType<typeof rowsState<Spv>>;
  expected?: number;
}

function Orders({ label, state = loadingState, expected }: OrdersProps) {
  const to = useCompanyPath();
  const { t } = useTranslation(['dashboards', 'common']);
  const columns: GridColumn<Spv>[] = [
    // Widths of all columns but one, so that the tables of all partners have the same.
    {
      key: 'client',
      phone: 'text',
      width: 170,
      header: t('company.client_name'),
      cell: (spv) => spv.client_name,
    },
    {
      key: 'spv',
      phone: 'title',
      header: t('company.identifier'),
      link: (spv) => <OrderLabel spv={spv} />,
      cell: () => null,
    },
    {
      key: 'status',
      phone: 'end',
      width: 116,
      header: t('common:status'),
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    {
      key: 'progress',
      width: 150,
      header: t('progress'),
      explain: t('progress_text'),
      cell: (spv) => (
        <ProgressBar percent={spv.progress.percent} label={t('progress_of', { name: orderName(spv) })} />
      ),
    },
    {
      key: 'amount',
      phone: 'side',
      width: 140,
      header: t('amount'),
      explain: t('amount_text'),
      align: 'right',
      cell: (spv) => (
        <Money amount={spv.status === 'cancelled' ? null : spv.amount} currency={spv.currency} />
      ),
    },
  ];
  return (
    <RowGrid
      label={label}
      columns={columns}
      state={state}
      expected={expected}
      hrefOf={(spv) => to(paths.companySpv(spv.id))}
      rowKey={(spv) => spv.id}
      empty={<EmptyState icon={<IconUsers size={20} />} title={t('no_clients')} />}
    />
  );
}
