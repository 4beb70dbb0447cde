import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { Request } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { actorName } from '../../../messages/actorName';
import { paths } from '../../../paths';
import { Timeline } from '../../../shared/activity/Timeline';
import { UserLink } from '../../../shared/records/links';
import { RequestDetails } from '../../../shared/requests/RequestDetails';
import { StaffSelect } from '../../../shared/requests/StaffSelect';
import { priorities } from '../../../shared/requests/quickRequestKinds';
import { Crumb } from '../../../shared/shell/Crumb';
import { BusyButton } from '../../../ui/BusyButton';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { PageHeader } from '../../../ui/PageHeader';
import { Prose } from '../../../ui/Prose';
import { Section } from '../../../ui/Section';
import { RecordError } from '../../../shared/records/RecordError';
import { StatusBadge } from '../../../ui/StatusBadge';
import { Tag } from '../../../ui/Tag';
import { TwoColumns } from '../../../ui/TwoColumns';
import { RequestDialog, type SelectedRequest } from './RequestDialog';
import { useRequestActions } from './useRequestActions';

/** Request page of staff. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['requests', 'names']);
  const { data: request, error, refetch } = useQuery(queries.request(id));
  if (error && !request) {
    const list = { to: paths.requestManagement, name: t('desk.title') };
    return <RecordError error={error} kind={t('one')} list={list} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <PageHeader
        title={request ? titleOf(t, request) : t('one')}
        text={
          request && (
            <>
              <span className="mono">{request.reference}</span>
              {request.order &&
                ` · ${t('asked_by', { kind: t(`names:request_kind.${request.kind}`), name: request.name })}`}
            </>
          )
        }
        trail={<Crumb to={paths.requestManagement}>{t('desk.title')}</Crumb>}
        actions={request && <StatusBadge kind="request" status={request.status} />}
      />
      {!request && <Skeleton height={320} radius="md" aria-hidden="true" />}
      {request && (
        <TwoColumns
          main={
            <Section title={t('asked.title')}>
              <RequestDetails request={request} />
            </Section>
          }
          side={
            <>
              <Decision request={request} />
              <HandlingPanel request={request} />
              <Timeline subjectId={request.id} />
            </>
          }
        />
      )}
    </>
  );
}

/** Name of the vehicle, or the type and the sender. */
function titleOf(t: TFunction<['requests', 'names']>, { kind, name, order }: Request): string {
  return order?.proposed_names[0] ?? t('asked_from', { kind: t(`names:request_kind.${kind}`), name });
}

const decisions: SelectedRequest['dialog'][] = [
  'accept',
  'approve',
  'create_client',
  'create_iso',
  'create_company',
  'convert',
  'confirm',
];

/** The result, or the decision buttons. */
function Decision({ request }: { request: Request }) {
  const { t } = useTranslation('requests');
  const [dialog, setDialog] = useState<SelectedRequest['dialog'] | null>(null);
  const { review } = useRequestActions(request);
  const offered = decisions.filter((decision) => request.can.includes(decision));
  return (
    <Section title={t('decision')}>
      <Stack gap="xs">
        {offered.map((decision, n) => (
          <Button key={decision} variant={n === 0 ? 'filled' : 'default'} onClick={() => setDialog(decision)}>
            {t(decision)}
          </Button>
        ))}
        {request.can.includes('review') && (
          <BusyButton
            variant="default"
            busy={review.isPending}
            label={t('review')}
            busyLabel={t('common:saving')}
            onClick={() => review.mutate()}
          />
        )}
        {request.can.includes('reject') && (
          <Button variant="outline" color="red" onClick={() => setDialog('reject')}>
            {t('reject')}
          </Button>
        )}
        {request.can.includes('reject') && offered.length === 0 && (
          <Text size="xs" c="dimmed">
            {t('decision.not_yours')}
          </Text>
        )}
        {request.decided_at && <DecisionResult request={request} />}
        {request.lead_id && (
          <Anchor component={Link} to={paths.employeeLeadsOf(request.name)} size="sm">
            {t('open_lead')}
          </Anchor>
        )}
        {request.call_id && (
          <Anchor component={Link} to={paths.employeeCalls} size="sm">
            {t('open_call')}
          </Anchor>
        )}
      </Stack>
      {dialog && <RequestDialog chosen={{ request, dialog }} onClose={() => setDialog(null)} />}
    </Section>
  );
}

function DecisionResult({ request }: { request: Request }) {
  const { t } = useTranslation('requests');
  const { decided_at: at, decided_by: by, kind, reason, spv, made, status } = request;
  // Leads get no notification.
  const textKey = kind === 'lead' ? 'note' : 'reply';
  return (
    <>
      <Text size="sm">
        {by ? t('asked.decided_by', { date: dateTime(at), name: actorName(t, by) }) : dateTime(at)}
      </Text>
      {reason && (
        <Text size="sm" className="said">
          <Prose>{t(status === 'rejected' ? 'reason' : textKey, { reason })}</Prose>
        </Text>
      )}
      {spv && (
        <Anchor component={Link} to={paths.employeeOrder(spv.id)} size="sm">
          {t('view_order', { identifier: spv.identifier })}
        </Anchor>
      )}
      {made && (
        <Text size="sm" c="dimmed">
          {t(`made.${made.kind}`)}
        </Text>
      )}
    </>
  );
}

/** Priority, due date and assignee of a request. */
function HandlingPanel({ request }: { request: Request }) {
  const { t } = useTranslation(['requests', 'names']);
  const { change } = useRequestActions(request);
  const open = request.can.includes('update');
  const assignee = request.assignee?.id ?? '';
  return (
    <Section title={t('handling')}>
      <Stack gap="sm">
        {open ? (
          <>
            <ChoiceSelect
              label={t('names:field.priority')}
              choices={priorities.map((value) => ({ value, label: t(`names:request_priority.${value}`) }))}
              value={request.priority}
              disabled={change.isPending}
              onChange={(priority) => priority !== request.priority && change.mutate({ priority })}
            />
            <StaffSelect
              current={request.assignee}
              value={assignee}
              onChange={(id) => id !== assignee && change.mutate({ assignee_id: id || null })}
            />
          </>
        ) : (
          <>
            <Fact label={t('names:field.priority')}>
              {request.priority && t(`names:request_priority.${request.priority}`)}
            </Fact>
            <Fact label={t('assignee')}>
              <UserLink id={request.assignee?.id ?? null} name={request.assignee?.name ?? null} />
            </Fact>
          </>
        )}
        <Fact label={t('column.due')}>
          {dateTime(request.due_at)} {request.overdue && <Tag tone="stop">{t('overdue')}</Tag>}
        </Fact>
      </Stack>
    </Section>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}
