import { Button } from '@mantine/core';
import { IconCircleCheck, IconListCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DocumentRequest, SpvDetail, Step } from '../../../api/types';
import { RequestedDocuments, useRequests } from '../../../shared/documents/RequestedDocuments';
import { isActive } from '../../../shared/spvs/dueDates';
import { StepTimeline } from '../../../shared/spvs/StepTimeline';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { NeedRow } from '../needs/NeedRow';
import { stepNeeds } from '../needs/useNeeds';
import classes from './OrderPage.module.css';

/** What the client has to do for this order: documents, and steps that wait for them. */
export function ClientTasks({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['client', 'orders']);
  const { data: requests } = useRequests(spv);
  const steps = requests && isActive(spv) ? stepNeeds(spv, requests) : [];
  return (
    <Section title={t('order.your_tasks')} flush>
      {steps.map((need) => (
        <div key={need.id} className={classes.need}>
          <NeedRow need={need} sent={false} onOrder />
        </div>
      ))}
      <RequestedDocuments spv={spv} />
      {steps.length === 0 && requests?.length === 0 && (
        <EmptyState
          icon={<IconCircleCheck size={20} />}
          title={t('orders:all_done')}
          text={t('orders:all_done_text')}
        />
      )}
    </Section>
  );
}

/** The steps of the order in one sequence; the client's own are marked. */
export function Progress({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('client');
  const { data: requests = [] } = useRequests(spv);
  return (
    <Section title={t('order.our_progress')}>
      {spv.steps.length > 0 ? (
        <StepTimeline
          spv={spv}
          label={t('order.our_progress')}
          action={(step) => <StepAction step={step} requests={requests} />}
        />
      ) : (
        <EmptyState icon={<IconListCheck size={20} />} title={t('order.no_steps')} />
      )}
    </Section>
  );
}

/** Leads from a step of the client to what it needs: its documents, or a message. */
function StepAction({ step, requests }: { step: Step; requests: DocumentRequest[] }) {
  const { t } = useTranslation('client');
  if (step.owner !== 'client' && step.waiting_on !== 'client') return null;
  const asked = requests.some(
    ({ step_id, status }) => step_id === step.id && (status === 'requested' || status === 'needs_revision'),
  );
  return (
    <Button
      component="a"
      href={asked ? '#tasks' : '#messages'}
      variant="default"
      size="compact-sm"
      aria-label={t('needs.answer_of', { name: step.step_name })}
    >
      {asked ? t('needs.see_documents') : t('needs.answer')}
    </Button>
  );
}
