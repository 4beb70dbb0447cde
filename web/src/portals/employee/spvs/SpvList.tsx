import { Skeleton, UnstyledButton } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Spv } from '../../../api/types';
import { percent } from '../../../messages/format';
import { identifierBesideName, orderName } from '../../../shared/spvs/orderName';
import type { GridState } from '../../../ui/grid/columns';
import { LoadMore } from '../../../ui/LoadMore';
import { Money } from '../../../ui/Money';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';
import { StatusBadge } from '../../../ui/StatusBadge';
import classes from './SpvList.module.css';

interface Props {
  state: GridState<Spv>;
  selected: string;
  onSelect: (id: string) => void;
  emptyText: string;
}

export function SpvList({ state, selected, onSelect, emptyText }: Props) {
  const { t } = useTranslation('employee');
  return (
    <div className={classes.pane}>
      {state.error && !state.rows && <ErrorState message={state.error} onRetry={state.retry} />}
      {!state.rows && !state.error && <SpvListSkeleton />}
      {state.rows?.length === 0 && <EmptyState icon={<IconFolder size={20} />} title={emptyText} />}
      {state.rows && state.rows.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        <div className={classes.scroll} role="region" aria-label={t('spvs.list')} tabIndex={0}>
          <ul className={classes.list}>
            {state.rows.map((spv) => (
              <li key={spv.id}>
                <Item spv={spv} selected={spv.id === selected} onSelect={() => onSelect(spv.id)} />
              </li>
            ))}
          </ul>
          {state.more && (
            <div className={classes.more}>
              <LoadMore loading={state.more.loading} onLoad={state.more.load} />
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function Item({ spv, selected, onSelect }: { spv: Spv; selected: boolean; onSelect: () => void }) {
  const { t } = useTranslation('employee');
  const rate = spv.iso_commission_percentage;
  return (
    <UnstyledButton className={classes.item} aria-current={selected} onClick={onSelect}>
      <span className={classes.head}>
        <span className={`${classes.name} ${spv.vehicle_name ? '' : 'mono'}`}>{orderName(spv)}</span>
        <StatusBadge kind="spv" status={spv.status} />
      </span>
      <span className={classes.who}>
        {identifierBesideName(spv) && <span className="mono">{spv.identifier} · </span>}
        {spv.client_name}
        <span className={classes.company}>{spv.company_name}</span>
      </span>
      <span className={classes.money}>
        <Money amount={spv.amount} currency={spv.currency} />
        {rate && <span className={classes.rate}>{t('spvs.rate', { rate: percent(rate) })}</span>}
      </span>
    </UnstyledButton>
  );
}

function SpvListSkeleton() {
  return (
    <div className={classes.waiting} aria-busy="true">
      {[1, 2, 3, 4].map((row) => (
        <Skeleton key={row} height={56} />
      ))}
    </div>
  );
}
