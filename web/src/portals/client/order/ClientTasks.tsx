import { IconCircleCheck, IconListCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
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
  return (
    <Section title={t('order.our_progress')}>
      {spv.steps.length > 0 ? (
        <StepTimeline spv={spv} label={t('order.our_progress')} tasksAbove />
      ) : (
        <EmptyState icon={<IconListCheck size={20} />} title={t('order.no_steps')} />
      )}
    </Section>
  );
}
