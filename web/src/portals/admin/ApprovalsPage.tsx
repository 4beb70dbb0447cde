import { Button, Group, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconUserCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../api/client';
import { queries } from '../../api/queries';
import type { Approval } from '../../api/types';
import { date, money } from '../../messages/format';
import { paths } from '../../paths';
import { rowsState } from '../../shared/grid/listState';
import { RowGrid } from '../../shared/grid/RowGrid';
import { useParam } from '../../shared/queryParams';
import { RecordLink } from '../../shared/records/links';
import { useSave } from '../../shared/useSave';
import { orNull } from '../../shared/validators';
import { ChoiceFilter } from '../../ui/ChoiceFilter';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { RelativeTime } from '../../ui/DateText';
import { EmptyState } from '../../ui/EmptyState';
import { FormModal } from '../../ui/FormModal';
import type { GridColumn } from '../../ui/grid/columns';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { StatusBadge } from '../../ui/StatusBadge';
import { toast } from '../../ui/toasts';

const statuses: readonly Approval['status'][] = ['pending', 'approved', 'declined', 'withdrawn', 'expired'];

type Action = 'approve' | 'decline' | 'withdraw';

/** Acts that wait or waited for a super admin. */
export function Component() {
  const { t } = useTranslation(['admin', 'names']);
  const [param, setStatus] = useParam('status');
  const status = statuses.find((known) => known === param);
  const state = rowsState(useInfiniteQuery(queries.approvals({ status })));
  const [dialog, setDialog] = useState<{ action: Action; approval: Approval }>();
  return (
    <>
      <PageHeader
        title={t('approvals.title')}
        text={t('approvals.text')}
        actions={
          <ChoiceFilter
            label={t('approvals.status')}
            all={t('approvals.all')}
            value={status ?? ''}
            choices={statuses.map((value) => ({ value, label: t(`names:approval_status.${value}`) }))}
            onChange={setStatus}
          />
        }
      />
      <Section title={t('approvals.list')} flush>
        <RowGrid
          main
          label={t('approvals.list')}
          columns={columns(t, (action, approval) => setDialog({ action, approval }))}
          state={state}
          rowKey={(approval) => approval.id}
          empty={
            <EmptyState
              icon={<IconUserCheck size={20} />}
              title={t('approvals.empty')}
              text={t('approvals.empty_text')}
            />
          }
        />
      </Section>
      {dialog?.action === 'decline' && (
        <DeclineForm approval={dialog.approval} onClose={() => setDialog(undefined)} />
      )}
      {dialog && dialog.action !== 'decline' && (
        <DecisionDialog
          approval={dialog.approval}
          action={dialog.action}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

function columns(
  t: TFunction<['admin', 'names']>,
  open: (action: Action, approval: Approval) => void,
): GridColumn<Approval>[] {
  return [
    {
      key: 'act',
      phone: 'title',
      header: t('approvals.act'),
      cell: (approval) => t(`names:approval_act.${approval.act}`),
    },
    {
      key: 'subject',
      phone: 'text',
      header: t('approvals.subject'),
      cell: (approval) => (
        <>
          <Subject approval={approval} />
          {approval.totals.length > 0 && (
            <Text component="div" size="sm" c="dimmed" className="num">
              {totalsOf(approval)}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'status',
      phone: 'side',
      header: t('approvals.status'),
      cell: ({ status }) => <StatusBadge kind="approval" status={status} />,
    },
    {
      key: 'requested',
      phone: 'end',
      header: t('approvals.requested'),
      cell: (approval) => (
        <>
          {approval.requested_by.name} · <RelativeTime at={approval.requested_at} />
        </>
      ),
    },
    {
      key: 'decided',
      phone: 'below',
      header: t('approvals.decided'),
      cell: (approval) => <Decided approval={approval} />,
    },
    {
      key: 'actions',
      header: t('approvals.actions'),
      actions: true,
      cell: (approval) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          {(['approve', 'decline', 'withdraw'] as const)
            .filter((action) => approval.can.includes(action))
            .map((action) => (
              <Button
                key={action}
                size="compact-sm"
                variant={action === 'approve' ? 'filled' : 'default'}
                aria-label={t(`approvals.${action}_of`, { what: whatOf(t, approval) })}
                onClick={() => open(action, approval)}
              >
                {t(`approvals.${action}`)}
              </Button>
            ))}
        </Group>
      ),
    },
  ];
}

/** The act and its target in one line. */
function whatOf(t: TFunction<['admin', 'names']>, { act, subject }: Approval): string {
  return `${t(`names:approval_act.${act}`)}: ${act === 'change_four_eyes' ? t('four_eyes.title') : subject}`;
}

/** What a payout run transfers, one amount per currency. */
function totalsOf({ totals }: Approval): string {
  return totals.map(({ amount, currency }) => money(amount, currency)).join(' + ');
}

function Subject({ approval }: { approval: Approval }) {
  const { t } = useTranslation(['admin', 'names']);
  const { act, subject, target_id: id } = approval;
  if (act === 'pay_run' && id) return <RecordLink to={paths.employeePayout(id)} name={subject} />;
  if ((act === 'make_super_admin' || act === 'restore_super_admin') && id)
    return <RecordLink to={paths.adminUser(id)} name={subject} />;
  if (act === 'change_four_eyes') return t('four_eyes.title');
  return act === 'rotate_keys' ? subject.slice(0, 12) : subject;
}

function Decided({ approval }: { approval: Approval }) {
  const { decided_by: by, decided_at: at, reason } = approval;
  if (!at) return null;
  return (
    <>
      {by && `${by.name} · `}
      <RelativeTime at={at} />
      {reason && (
        <Text component="div" size="sm" c="dimmed">
          {reason}
        </Text>
      )}
    </>
  );
}

/** What is carried out, before it is approved. */
function Details({ approval }: { approval: Approval }) {
  const { t } = useTranslation(['admin', 'names']);
  const { paid_date, email, four_eyes: rule } = approval;
  const lines = [
    whatOf(t, approval),
    totalsOf(approval),
    paid_date && t('approvals.paid_on', { day: date(paid_date) }),
    email,
    rule && (rule.enabled ? t('four_eyes.on') : t('four_eyes.off')),
    rule?.payout_limit &&
      rule.payout_currency &&
      t('four_eyes.limit_is', { amount: money(rule.payout_limit, rule.payout_currency) }),
    t('approvals.requested_by', { name: approval.requested_by.name }),
  ];
  return lines.filter(Boolean).map((line) => <div key={line}>{line}</div>);
}

interface DialogProps {
  approval: Approval;
  onClose: () => void;
}

/** Confirms an approval or a withdrawal. The proof is asked for in place. */
function DecisionDialog({ approval, action, onClose }: DialogProps & { action: 'approve' | 'withdraw' }) {
  const { t } = useTranslation(['admin', 'names', 'common']);
  const request = { params: versionedBody(approval), body: {} };
  const save = useSave({
    save: () =>
      body(
        action === 'approve'
          ? api.POST('/rest/v1/approvals/{id}/approve', request)
          : api.POST('/rest/v1/approvals/{id}/withdraw', request),
      ),
    invalidates: ['approval', 'payout_run', 'user', 'settings', 'keys'],
    onSaved: () => {
      onClose();
      toast({ title: t(`approvals.done.${action}`), description: whatOf(t, approval) });
    },
  });
  return (
    <ConfirmDialog
      title={t(`approvals.${action}_title`)}
      confirmLabel={t(`approvals.${action}`)}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      onConfirm={() => save.mutate(undefined)}
      onClose={onClose}
    >
      <Details approval={approval} />
      <Text size="sm" c="dimmed" mt="sm">
        {t(`approvals.${action}_text`)}
      </Text>
    </ConfirmDialog>
  );
}

function DeclineForm({ approval, onClose }: DialogProps) {
  const { t } = useTranslation(['admin', 'names', 'common']);
  const form = useForm({ initialValues: { reason: '' } });
  const save = useSave({
    form,
    save: ({ reason }: typeof form.values) =>
      body(
        api.POST('/rest/v1/approvals/{id}/decline', {
          params: versionedBody(approval),
          body: { reason: orNull(reason) },
        }),
      ),
    invalidates: 'approval',
    onSaved: () => {
      onClose();
      toast({ title: t('approvals.done.decline'), description: whatOf(t, approval) });
    },
  });
  return (
    <FormModal
      title={t('approvals.decline_title')}
      text={whatOf(t, approval)}
      size="md"
      submitLabel={t('approvals.decline')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <Textarea
        label={t('names:field.reason')}
        description={t('approvals.reason_text')}
        autosize
        minRows={3}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormModal>
  );
}
