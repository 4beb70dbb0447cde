import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
import { date, money, percent } from '../../../messages/format';
import { BlockedBy } from '../../../shared/spvs/BlockedBy';
import { DetailList } from '../../../ui/DetailList';
import { Prose } from '../../../ui/Prose';
import { StepProgress } from '../../../ui/StepProgress';

/** Progress, blocking party and internal details of an order. */
export function Overview({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const amount = (value: string | null) => value && money(value, spv.currency);
  return (
    <Stack gap="sm">
      <BlockedBy spv={spv} reader="staff" />
      {spv.status_reason && (
        <Text size="sm">
          <Prose>{t('spvs.reason', { reason: spv.status_reason })}</Prose>
        </Text>
      )}
      <div>
        <StepProgress
          steps={spv.steps.map((step) => step.status)}
          percent={spv.progress.percent}
          label={t('spvs.progress_of', { name: spv.identifier })}
        />
        <Text size="xs" c="dimmed">
          {t('common:steps_done', { ...spv.progress })}
        </Text>
      </div>
      <DetailList
        details={[
          [t('column.client'), spv.client_name],
          [t('column.email'), spv.client_email],
          [t('column.company'), spv.company_name],
          [t('column.iso'), spv.iso_name ?? t('common:no_iso')],
          [t('names:field.country'), t(`names:country.${spv.country}`)],
          [t('spvs.ordered'), date(spv.ordered_date)],
          [t('names:field.purchase_amount'), amount(spv.purchase_amount)],
          [t('names:field.price'), amount(spv.price)],
          [t('names:field.filing_fee'), amount(spv.filing_fee)],
          [
            t('names:field.iso_commission_percentage'),
            spv.iso_commission_percentage && percent(spv.iso_commission_percentage),
          ],
          [t('names:field.commission'), amount(spv.iso_commission)],
        ]}
      />
    </Stack>
  );
}
