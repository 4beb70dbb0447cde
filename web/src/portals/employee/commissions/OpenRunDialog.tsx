import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { sumsByCurrency } from '../../../shared/grid/sums';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { ErrorState } from '../../../ui/ErrorState';
import { Money } from '../../../ui/Money';
import { toast } from '../../../ui/toasts';
import { Dialog } from '../../../ui/Dialog';
import classes from './OpenRunDialog.module.css';

/** Shows what a payout run would transfer to each partner before it is opened. */
export function OpenRunDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['commissions', 'common', 'names']);
  const { data, error, refetch } = useQuery(queries.payoutPreview());
  const open = useSave({
    save: (_: null, key) =>
      body(api.POST('/rest/v1/payout-runs', { params: idempotencyHeaders(key), body: {} })),
    invalidates: 'payout_run',
    onSaved: (run) => {
      onClose();
      toast({ title: t('payouts.opened'), description: run.name });
    },
  });
  if (!data) {
    return (
      <Dialog onClose={onClose} title={t('payouts.open')}>
        {error ? (
          <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
        ) : (
          <Skeleton h={120} />
        )}
      </Dialog>
    );
  }
  const total = sumsByCurrency(data.items).join(' + ');
  return (
    <ConfirmDialog
      title={t('payouts.open')}
      confirmLabel={t('payouts.open_sum', { sum: total })}
      busyLabel={t('common:saving')}
      busy={open.isPending}
      blocked={data.items.length === 0}
      onConfirm={() => open.mutate(null)}
      onClose={onClose}
    >
      {data.items.length === 0 ? (
        t('payouts.nothing_approved')
      ) : (
        <>
          {t('payouts.preview_text')}
          <table className={classes.preview}>
            <thead>
              <tr>
                <th scope="col">{t('names:role.iso')}</th>
                <th scope="col">{t('title')}</th>
                <th scope="col">{t('column.amount')}</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((row) => (
                <tr key={row.iso_id + row.currency}>
                  <th scope="row">{row.iso_name}</th>
                  <td className="num">{row.entries}</td>
                  <td>
                    <Money amount={row.amount} currency={row.currency} />
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={2}>
                  {t('payouts.total')}
                </th>
                <td className="num">{total}</td>
              </tr>
            </tfoot>
          </table>
        </>
      )}
    </ConfirmDialog>
  );
}
