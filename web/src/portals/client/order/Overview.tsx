import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
import { date, money } from '../../../messages/format';
import { phaseText } from '../../../shared/spvs/details';
import { BlockedBy } from '../../../shared/spvs/BlockedBy';
import { DetailList } from '../../../ui/DetailList';
import { ProgressBar } from '../../../ui/ProgressBar';
import { Prose } from '../../../ui/Prose';
import { Section } from '../../../ui/Section';

/** Progress, blocking party and details of an order. */
export function Overview({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['client', 'names', 'common']);
  return (
    <Section title={t('order.overview')}>
      <Stack gap="md">
        <BlockedBy spv={spv} reader="client" />
        {spv.status_reason && (
          <Text size="sm">
            <Prose>{t('order.reason', { reason: spv.status_reason })}</Prose>
          </Text>
        )}
        <div>
          <Text size="sm" mb={6}>
            {phaseText(t, spv)}
          </Text>
          <ProgressBar
            percent={spv.progress.percent}
            label={t('order.progress_of', { name: spv.identifier })}
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
