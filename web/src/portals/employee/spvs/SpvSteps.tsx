import { ActionIcon, Skeleton, Text, Title } from '@mantine/core';
import { IconListCheck, IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step } from '../../../api/types';
import { date, money, percent } from '../../../messages/format';
import { StepList } from '../../../shared/spvs/StepList';
import { DetailList } from '../../../ui/DetailList';
import { ProgressBar } from '../../../ui/ProgressBar';
import { EmptyState, ErrorState } from '../../../ui/states';
import { StatusBadge } from '../../../ui/StatusBadge';
import classes from './SpvSteps.module.css';
import { StatusActions } from './StatusActions';
import { StepForm } from './StepForm';

/** The chosen order: what it is, what can be done with it, and its steps. */
export function SpvSteps({ id }: { id: string }) {
  const { t } = useTranslation('employee');
  const { data: spv, error, refetch } = useQuery(queries.spv(id));
  const [editing, setEditing] = useState<Step | null>(null);
  const panel = useRef<HTMLElement>(null);

  useEffect(() => {
    // Below each other, on a phone, the chosen order would open out of sight.
    if (matchMedia('(max-width: 900px)').matches) panel.current?.scrollIntoView({ block: 'start' });
  }, []);

  return (
    <section ref={panel} className={classes.panel} aria-label={spv?.identifier ?? t('spvs.steps')}>
      {error && !spv && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!spv && !error && <Skeleton height={240} m="md" width="auto" />}
      {spv && (
        <>
          <Head spv={spv} />
          {spv.steps.length === 0 ? (
            <EmptyState icon={<IconListCheck size={20} />} title={t('spvs.no_steps')} />
          ) : (
            <StepList
              steps={spv.steps}
              label={t('spvs.steps')}
              action={(step) =>
                step.can.includes('update') && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={32}
                    aria-label={t('step.edit_of', { name: step.step_name })}
                    onClick={() => setEditing(step)}
                  >
                    <IconPencil size={16} />
                  </ActionIcon>
                )
              }
            />
          )}
          {editing && <StepForm step={editing} spv={spv} onClose={() => setEditing(null)} />}
        </>
      )}
    </section>
  );
}

function Head({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const amount = (value: string | null) => value && money(value, spv.currency);
  return (
    <header className={classes.head}>
      <div className={classes.title}>
        <Title order={2}>{spv.identifier}</Title>
        <StatusBadge kind="spv" status={spv.status} />
        <div className={classes.actions}>
          <StatusActions spv={spv} />
        </div>
      </div>
      {spv.status_reason && <Text size="sm">{t('spvs.reason', { reason: spv.status_reason })}</Text>}
      <div>
        <ProgressBar percent={spv.progress.percent} label={t('spvs.progress_of', { name: spv.identifier })} />
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
          [
            t('names:field.iso_commission_percentage'),
            spv.iso_commission_percentage && percent(spv.iso_commission_percentage),
          ],
          [t('names:field.commission'), amount(spv.iso_commission)],
        ]}
      />
    </header>
  );
}
