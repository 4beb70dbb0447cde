import { Button } from '@mantine/core';
import { IconBan, IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body, versionedBody } from '../../../api/client';
import type { Commission } from '../../../api/types';
import { paths } from '../../../paths';
import { CommissionGrid } from '../../../shared/commissions/CommissionGrid';
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
  const [voiding, setVoiding] = useState<Commission | null>(null);
  const approve = useSave({
    save: (ids: string[]) => body(api.POST('/rest/v1/commissions/approve', { body: { ids } })),
    invalidates: 'commission',
    onSaved: ({ items }) => {
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
      <Section title={t('ledger')} flush>
        <CommissionGrid
          withIso
          orderPath={paths.employeeOrder}
          bulk={(rows, clear) => {
            const ids = rows.filter((row) => row.can.includes('approve')).map((row) => row.id);
            return (
              <BusyButton
                busy={approve.isPending}
                disabled={ids.length === 0 || ids.length > MAX_BULK}
                label={t('approve.selected', { count: ids.length })}
                busyLabel={t('common:saving')}
                onClick={() => approve.mutate(ids, { onSuccess: clear })}
              />
            );
          }}
          actions={(row) => (
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
          )}
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
