import { IconCircleCheck, IconListCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
import { RequestedDocuments, useRequests } from '../../../shared/documents/RequestedDocuments';
import { waitingOn } from '../../../shared/spvs/dueDates';
import { StepList } from '../../../shared/spvs/StepList';
import { EqualColumns } from '../../../ui/TwoColumns';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';

/** Tasks of the client, and beside them the steps of others. A step blocked by the client counts as theirs. */
export function ClientTasks({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['client', 'orders']);
  const yours = spv.steps.filter((step) => step.owner === 'client' || waitingOn(step) === 'client');
  const { data: requests } = useRequests(spv);
  const ours = spv.steps.filter((step) => !yours.includes(step));
  return (
    <EqualColumns
      left={
        <Section title={t('order.your_tasks')} flush>
          <RequestedDocuments spv={spv} />
          {yours.length > 0 && (
            <StepList reader="client" steps={yours} spv={spv} label={t('order.your_tasks')} />
          )}
          {yours.length === 0 && requests?.length === 0 && (
            <EmptyState
              icon={<IconCircleCheck size={20} />}
              title={t('orders:all_done')}
              text={t('orders:all_done_text')}
            />
          )}
        </Section>
      }
      right={
        <Section title={t('order.our_progress')} flush>
          {ours.length > 0 ? (
            <StepList reader="client" steps={ours} spv={spv} label={t('order.our_progress')} />
          ) : (
            <EmptyState icon={<IconListCheck size={20} />} title={t('order.no_steps')} />
          )}
        </Section>
      }
    />
  );
}
