/** Actions on a payout run, shared by its row and its page. */
import { useForm } from '@mantine/form';
import { IconBuildingBank, IconCash, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actBody } from '../../../api/approvals';
import { api, body, versionedBody } from '../../../api/client';
import type { PayoutRun } from '../../../api/types';
import { todayInOfficeZone } from '../../../messages/format';
import { toastWaiting } from '../../../shared/approvals/waiting';
import { useMe } from '../../../shared/session/me';
import { sumsByCurrency } from '../../../shared/grid/sums';
import { bankCsv, sepaFile } from '../../../shared/commissions/exports';
import { required } from '../../../shared/validators';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { DateField } from '../../../ui/DateField';
import { FormModal } from '../../../ui/FormModal';
import { saveBlob } from '../../../ui/saveText';
import { toast } from '../../../ui/toasts';

/** Sum of a run, one amount per currency. */
export function runTotal({ payouts }: Pick<PayoutRun, 'payouts'>): string {
  return sumsByCurrency(payouts).join(' + ');
}

/** Bank file, payment and discarding of a run, with their dialogs. */
export function usePayoutActions(run: PayoutRun) {
  const { t } = useTranslation(['commissions', 'common']);
  const [dialog, setDialog] = useState<'pay' | 'discard' | null>(null);
  const close = () => setDialog(null);
  const bank = useSave({
    save: () => bankCsv(run.id),
    onSaved: (blob) => saveBlob(`${run.name}.csv`, blob),
  });
  const sepa = useSave({
    save: () => sepaFile(run.id),
    onSaved: (blob) => saveBlob(`${run.name}.xml`, blob),
  });
  const discard = useSave({
    save: () => body(api.POST('/rest/v1/payout-runs/{id}/discard', { params: versionedBody(run), body: {} })),
    invalidates: 'payout_run',
    onSaved: () => {
      close();
      toast({ title: t('payouts.discarded'), description: run.name });
    },
  });
  const actions = [
    {
      needs: 'bank',
      label: t('payouts.bank'),
      icon: <IconBuildingBank size={15} />,
      onClick: () => bank.mutate(undefined),
    },
    {
      needs: 'bank',
      label: t('payouts.sepa'),
      icon: <IconBuildingBank size={15} />,
      onClick: () => sepa.mutate(undefined),
    },
    {
      needs: 'pay',
      label: t('payouts.pay'),
      icon: <IconCash size={15} />,
      onClick: () => setDialog('pay'),
    },
    {
      needs: 'discard',
      label: t('payouts.discard'),
      icon: <IconTrash size={15} />,
      danger: true,
      onClick: () => setDialog('discard'),
    },
  ].filter(({ needs }) => run.can.includes(needs));
  const dialogs = (
    <>
      {dialog === 'pay' && <PayForm run={run} onClose={close} />}
      {dialog === 'discard' && (
        <ConfirmDialog
          title={t('payouts.discard_title', { name: run.name })}
          confirmLabel={t('payouts.discard')}
          busyLabel={t('common:saving')}
          busy={discard.isPending}
          danger
          onConfirm={() => discard.mutate(undefined)}
          onClose={close}
        >
          {t('payouts.discard_text')}
        </ConfirmDialog>
      )}
    </>
  );
  return { actions, dialogs };
}

function PayForm({ run, onClose }: { run: PayoutRun; onClose: () => void }) {
  const { t } = useTranslation(['commissions', 'common', 'names']);
  const { role } = useMe();
  const missing = useRequiredFieldsMessage();
  const form = useForm({
    initialValues: { paid_date: todayInOfficeZone() },
    validate: { paid_date: required },
  });
  const save = useSave({
    form,
    save: (values: typeof form.values) =>
      actBody<PayoutRun>(
        api.POST('/rest/v1/payout-runs/{id}/pay', { params: versionedBody(run), body: values }),
      ),
    invalidates: ['payout_run', 'approval'],
    onSaved: (paid) => {
      onClose();
      if (paid) toast({ title: t('payouts.paid'), description: run.name });
      else toastWaiting(role);
    },
  });
  return (
    <FormModal
      title={t('payouts.pay_title', { name: run.name })}
      text={t('payouts.pay_text')}
      size="md"
      submitLabel={t('payouts.pay_sum', { sum: runTotal(run) })}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values), missing)}
      onClose={onClose}
    >
      <DateField
        presets="past"
        max={todayInOfficeZone()}
        label={t('names:field.paid_date')}
        required
        data-autofocus
        {...form.getInputProps('paid_date')}
      />
    </FormModal>
  );
}
