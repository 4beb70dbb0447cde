import { IconCircleCheck, IconListCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
import { isSettled, RequestedDocuments, useRequests } from '../../../shared/documents/RequestedDocuments';
import { StepTimeline } from '../../../shared/spvs/StepTimeline';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { NeedRow } from '../needs/NeedRow';
import type { StepNeed } from '../needs/clientNeeds';
import classes from './OrderPage.module.css';

/** What the client has to do for this order: these steps, and documents. */
export function ClientTasks({ spv, steps }: { spv: SpvDetail; steps: StepNeed[] }) {
  const { t } = useTranslation(['client', 'orders']);
  const { data: requests } = useRequests(spv);
  return (
    <Section title={t('order.your_tasks')} flush>
      {steps.map((need) => (
        <div key={need.id} className={classes.need}>
          <NeedRow need={need} sent={false} onOrder />
        </div>
      ))}
      <RequestedDocuments spv={spv} />
      {steps.length === 0 && requests && requests.every(isSettled) && (
        <EmptyState
          icon={<IconCircleCheck size={20} />}
          title={t('orders:all_done')}
          text={t('orders:all_done_text')}
        />
      )}
    </Section>
  );
}

interface ProgressProps {
  spv: SpvDetail;
  /** Steps among the tasks of the page. */
  listedSteps: ReadonlySet<string>;
}

/** The steps of the order in one sequence; the client's own are marked. */
export function Progress({ spv, listedSteps }: ProgressProps) {
  const { t } = useTranslation('client');
  return (
    <Section title={t('order.our_progress')}>
      {spv.steps.length > 0 ? (
        <StepTimeline spv={spv} label={t('order.our_progress')} listedSteps={listedSteps} />
      ) : (
        <EmptyState icon={<IconListCheck size={20} />} title={t('order.no_steps')} />
      )}
    </Section>
  );
}
