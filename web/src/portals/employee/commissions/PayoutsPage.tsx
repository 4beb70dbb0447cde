import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconBuildingBank, IconCash, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody, idempotencyHeaders } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { PayoutRun } from '../../../api/types';
import { money, todayInOfficeZone } from '../../../messages/format';
import { actorName } from '../../../messages/actorName';
import { bankCsv } from '../../../shared/commissions/exports';
import { tableState } from '../../../shared/tableState';
import { required } from '../../../shared/validators';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { DataTable, type Column } from '../../../ui/DataTable';
import { DateField } from '../../../ui/DateField';
import { RelativeTime, DateText } from '../../../ui/DateText';
import { FormModal } from '../../../ui/FormModal';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { saveBlob } from '../../../ui/saveText';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { toast } from '../../../ui/toasts';

/** Payout runs: create from approved commissions, export for the bank, mark as paid. */
export function Component() {
  const { t } = useTranslation(['commissions', 'common']);
  const open = useSave({
    save: (_: null, key) =>
      body(api.POST('/rest/v1/payout-runs', { params: idempotencyHeaders(key), body: {} })),
    invalidates: 'payout_run',
    onSaved: (run) => {
      toast({ title: t('payouts.opened'), description: run.name });
    },
  });
  const columns: Column<PayoutRun>[] = [
    {
      key: 'run',
      header: t('payouts.run'),
      cell: (run) => (
        <>
          <span className="num">{run.name}</span>
          <Text size="xs" c="dimmed">
            {actorName(t, run.created_by)} · <RelativeTime at={run.created_at} />
          </Text>
        </>
      ),
    },
    {
      key: 'transfers',
      header: t('payouts.transfers'),
      cell: (run) =>
        run.payouts.map((payout) => (
          <div key={`${payout.iso_id}${payout.currency}`}>
            {payout.iso_name}{' '}
            <Text span size="sm" c="dimmed" className="num">
              {money(payout.amount, payout.currency)} · {t('payouts.entries', { count: payout.entries })}
            </Text>
          </div>
        )),
    },
    {
      key: 'status',
      header: t('common:status'),
      cell: (run) => <StatusBadge kind="payout_run" status={run.status} />,
    },
    { key: 'paid', header: t('payouts.paid_on'), cell: (run) => <DateText day={run.paid_date} /> },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (run) => <Actions run={run} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t('payouts.title')}
        text={t('payouts.text')}
        actions={
          <BusyButton
            busy={open.isPending}
            label={t('payouts.open')}
            busyLabel={t('common:saving')}
            onClick={() => open.mutate(null)}
          />
        }
      />
      <Section title={t('payouts.list')} flush>
        <DataTable
          label={t('payouts.list')}
          columns={columns}
          state={tableState(useInfiniteQuery(queries.payoutRuns()))}
          rowKey={(run) => run.id}
          empty={
            <EmptyState
              icon={<IconCash size={20} />}
              title={t('payouts.empty')}
              text={t('payouts.empty_text')}
            />
          }
        />
      </Section>
    </>
  );
}

function Actions({ run }: { run: PayoutRun }) {
  const { t } = useTranslation(['commissions', 'common']);
  const [dialog, setDialog] = useState<'pay' | 'discard' | null>(null);
  const close = () => setDialog(null);
  const bank = useSave({
    save: () => bankCsv(run.id),
    onSaved: (blob) => saveBlob(`${run.name}.csv`, blob),
  });
  const discard = useSave({
    save: () => body(api.POST('/rest/v1/payout-runs/{id}/discard', { params: versionedBody(run), body: {} })),
    invalidates: 'payout_run',
    onSaved: () => {
      close();
      toast({ title: t('payouts.discarded'), description: run.name });
    },
  });
  return (
    <>
      <RowMenu
        name={run.name}
        actions={[
          {
            needs: 'bank',
            label: t('payouts.bank'),
            icon: <IconBuildingBank size={15} />,
            onClick: () => bank.mutate(undefined),
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
        ].filter(({ needs }) => run.can.includes(needs))}
      />
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
}

function PayForm({ run, onClose }: { run: PayoutRun; onClose: () => void }) {
  const { t } = useTranslation(['commissions', 'common', 'names']);
  const missing = useRequiredFieldsMessage();
  const form = useForm({
    initialValues: { paid_date: todayInOfficeZone() },
    validate: { paid_date: required },
  });
  const save = useSave({
    form,
    save: (values: typeof form.values) =>
      body(api.POST('/rest/v1/payout-runs/{id}/pay', { params: versionedBody(run), body: values })),
    invalidates: 'payout_run',
    onSaved: () => {
      onClose();
      toast({ title: t('payouts.paid'), description: run.name });
    },
  });
  return (
    <FormModal
      title={t('payouts.pay_title', { name: run.name })}
      text={t('payouts.pay_text')}
      size="md"
      submitLabel={t('payouts.pay')}
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
