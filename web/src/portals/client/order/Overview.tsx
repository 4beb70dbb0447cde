import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
import { date, money } from '../../../messages/format';
import { phaseText } from '../../../shared/spvs/details';
import { orderName } from '../../../shared/spvs/orderName';
import { BlockedBy } from '../../../shared/spvs/BlockedBy';
import { DetailList } from '../../../ui/DetailList';
import { Prose } from '../../../ui/Prose';
import { Section } from '../../../ui/Section';
import { StepProgress } from '../../../ui/StepProgress';

interface Props {
  spv: SpvDetail;
  /** Steps among the tasks of the page. */
  listedSteps: ReadonlySet<string>;
}

/** Progress, blocking party and details of an order. */
export function Overview({ spv, listedSteps }: Props) {
  const { t } = useTranslation(['client', 'names', 'common']);
  return (
    <Section title={t('order.overview')}>
      <Stack gap="md">
        <BlockedBy spv={spv} reader="client" listedSteps={listedSteps} />
        {spv.status_reason && (
          <Text size="sm">
            <Prose>{t('order.reason', { reason: spv.status_reason })}</Prose>
          </Text>
        )}
        <div>
          <Text size="sm" mb={6}>
            {phaseText(t, spv)}
          </Text>
          <StepProgress
            steps={spv.steps.map((step) => step.status)}
            percent={spv.progress.percent}
            label={t('order.progress_of', { name: orderName(spv) })}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {t('common:steps_done', { ...spv.progress })}
          </Text>
        </div>
        <DetailList
          details={[
            [t('order.ordered_label'), date(spv.ordered_date)],
            [t('order.country'), t(`names:country.${spv.country}`)],
            [t('order.amount'), spv.amount && money(spv.amount, spv.currency)],
          ]}
        />
      </Stack>
    </Section>
  );
}
