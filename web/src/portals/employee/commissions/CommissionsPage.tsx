import { Button, Checkbox } from '@mantine/core';
import { IconBan, IconCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body, versionedBody } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Commission } from '../../../api/types';
import { paths } from '../../../paths';
import { CommissionTable } from '../../../shared/commissions/CommissionTable';
import { commissionsCsv } from '../../../shared/commissions/exports';
import { useStatusFilter } from '../../../shared/commissions/StatusFilter';
import { ExportButton } from '../../../shared/ExportButton';
import { tableState } from '../../../shared/tableState';
import { ReasonDialog } from '../../../shared/ReasonDialog';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { Section } from '../../../ui/Section';
import { toast } from '../../../ui/toasts';

/** Bulk limit of the server. */
const MAX_BULK = 200;

/** Commission ledger; pending commissions are approved for the next payout run. */
export function Component() {
  const { t } = useTranslation(['commissions', 'common']);
  const { status, filter } = useStatusFilter();
  const state = tableState(useInfiniteQuery(queries.commissions({ status })));
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [voiding, setVoiding] = useState<Commission | null>(null);
  // Keeps only rows still present and pending.
  const open = state.rows?.filter((row) => row.can.includes('approve')) ?? [];
  const some = open.slice(0, MAX_BULK);
  const chosen = open.filter((row) => picked.has(row.id)).map((row) => row.id);
  const approve = useSave({
    save: (ids: string[]) => body(api.POST('/rest/v1/commissions/approve', { body: { ids } })),
    invalidates: 'commission',
    onSaved: ({ items }) => {
      setPicked(new Set());
      toast({ title: t('approve.done'), description: t('approve.count', { count: items.length }) });
    },
  });
  const withdraw = useSave({
    save: ({ row, reason }: { row: Commission; reason: string }) =>
      body(api.POST('/rest/v1/commissions/{id}/void', { params: versionedBody(row), body: { reason } })),
    invalidates: 'commission',
    onSaved: (row) => {
      setVoiding(null);
      toast({ title: t('void.done'), description: row.spv_identifier });
    },
  });
  const pick = (id: string, on: boolean) => {
    const next = new Set(picked);
    if (on) next.add(id);
    else next.delete(id);
    setPicked(next);
  };
  return (
    <>
      <PageHeader
        title={t('desk.title')}
        text={t('desk.text')}
        actions={
          <Button component={Link} to={paths.employeePayouts} variant="default">
            {t('payouts.title')}
          </Button>
        }
      />
      <Section
        title={t('ledger')}
        flush
        actions={
          <>
            {filter}
            <ExportButton name="commissions" load={() => commissionsCsv({ status })} />
            {open.length > 1 && chosen.length < some.length && (
              <Button variant="default" onClick={() => setPicked(new Set(some.map((row) => row.id)))}>
                {open.length > MAX_BULK
                  ? t('approve.first', { count: MAX_BULK })
                  : t('approve.all', { count: open.length })}
              </Button>
            )}
            <BusyButton
              busy={approve.isPending}
              disabled={chosen.length === 0}
              label={t('approve.selected', { count: chosen.length })}
              busyLabel={t('common:saving')}
              onClick={() => approve.mutate(chosen)}
            />
          </>
        }
      >
        <CommissionTable
          withIso
          state={state}
          narrowed={Boolean(status)}
          before={[
            {
              key: 'pick',
              header: t('approve.pick'),
              pick: true,
              cell: (row) =>
                row.can.includes('approve') && (
                  <Checkbox
                    size="sm"
                    aria-label={t('approve.pick_one', { identifier: row.spv_identifier })}
                    checked={picked.has(row.id)}
                    disabled={chosen.length >= MAX_BULK && !picked.has(row.id)}
                    onChange={(event) => pick(row.id, event.currentTarget.checked)}
                  />
                ),
            },
          ]}
          after={[
            {
              key: 'actions',
              header: t('common:actions'),
              actions: true,
              cell: (row) => (
                <RowMenu
                  name={row.spv_identifier}
                  actions={[
                    {
                      needs: 'approve',
                      label: t('approve'),
                      icon: <IconCheck size={15} />,
                      onClick: () => approve.mutate([row.id]),
                    },
                    {
                      needs: 'void',
                      label: t('void'),
                      icon: <IconBan size={15} />,
                      danger: true,
                      onClick: () => setVoiding(row),
                    },
                  ].filter(({ needs }) => row.can.includes(needs))}
                />
              ),
            },
          ]}
        />
      </Section>
      {voiding && (
        <ReasonDialog
          title={t('void.title', { identifier: voiding.spv_identifier })}
          text={t('void.text')}
          confirmLabel={t('void')}
          save={withdraw}
          onConfirm={(reason) => withdraw.mutate({ row: voiding, reason })}
          onClose={() => setVoiding(null)}
        />
      )}
    </>
  );
}
