import { Anchor, Text } from '@mantine/core';
import { IconCoin } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Commission } from '../../api/types';
import { money } from '../../messages/format';
import { paths } from '../../paths';
import { useMe } from '../session/me';
import { DataTable, type Column, type TableState } from '../../ui/DataTable';
import { DateText } from '../../ui/DateText';
import { Money } from '../../ui/Money';
import { Prose } from '../../ui/Prose';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';

interface Props {
  state: TableState<Commission>;
  /** A filter is set: an empty result has its own text. */
  narrowed?: boolean;
  /** Staff see the partner. */
  withIso?: boolean;
  /** Additional columns before and after. */
  before?: Column<Commission>[];
  after?: Column<Commission>[];
}

/** Commission ledger table: source, rule, amount and status. */
export function CommissionTable({
  state,
  narrowed = false,
  withIso = false,
  before = [],
  after = [],
}: Props) {
  const { t } = useTranslation(['commissions', 'names', 'common']);
  const orderPath = useMe().role === 'iso' ? paths.isoOrder : paths.employeeOrder;
  const columns: Column<Commission>[] = [
    ...before,
    {
      key: 'order',
      header: t('column.order'),
      cell: (row) => (
        <>
          <Anchor component={Link} to={orderPath(row.spv_id)} className="mono">
            {row.spv_identifier}
          </Anchor>
          <Text size="xs" c="dimmed">
            {withIso ? `${row.iso_name} · ${row.client.name}` : row.client.name}
          </Text>
        </>
      ),
    },
    { key: 'earned', header: t('column.earned'), cell: (row) => <DateText day={row.earned_date} /> },
    {
      key: 'rule',
      header: t('column.rule'),
      explain: t('column.rule_text'),
      wide: true,
      cell: (row) => <Rule row={row} />,
    },
    {
      key: 'amount',
      header: t('column.amount'),
      explain: t('column.amount_text'),
      align: 'right',
      cell: (row) => <Money amount={row.amount} currency={row.currency} />,
    },
    {
      key: 'status',
      header: t('common:status'),
      cell: (row) => (
        <>
          <StatusBadge kind="commission" status={row.status} />
          {(row.run ?? row.reason) && (
            <Text size="xs" c="dimmed" mt={2} lineClamp={2}>
              <Prose>{row.run ?? row.reason}</Prose>
            </Text>
          )}
        </>
      ),
    },
    ...after,
  ];
  return (
    <DataTable
      label={t('ledger')}
      columns={columns}
      state={state}
      rowKey={(row) => row.id}
      empty={
        <EmptyState
          icon={<IconCoin size={20} />}
          title={narrowed ? t('none_match') : t('empty')}
          text={narrowed ? undefined : t('empty_text')}
        />
      }
    />
  );
}

/** "2.5 % of $50,000.00", or fixed amount; reversals are marked. */
export function Rule({ row }: { row: Commission }) {
  const { t } = useTranslation('names');
  const rule = t(`commission_rule.${row.rule}`, { rate: row.rate, base: money(row.base, row.currency) });
  return row.kind === 'reversed' ? `${t('commission_kind.reversed')} · ${rule}` : rule;
}
