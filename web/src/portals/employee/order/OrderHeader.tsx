import { Anchor, Button, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SpvDetail } from '../../../api/types';
import { date, nearDate } from '../../../messages/format';
import { paths } from '../../../paths';
import { usePageActions } from '../../../shared/shell/registry';
import { nextStep } from '../../../shared/spvs/nextStep';
import { orderName } from '../../../shared/spvs/orderName';
import { CopyIcon } from '../../../ui/CopyButton';
import { usePageName } from '../../../ui/PageHeader';
import { StepProgress } from '../../../ui/StepProgress';
import { StatusActions } from '../spvs/StatusActions';
import type { StepActions } from './useStepActions';
import classes from './OrderHeader.module.css';

interface Props {
  spv: SpvDetail;
  /** Links to the parents. */
  trail: ReactNode;
  actions: StepActions;
}

/** Head of an order: name, status, the next action, and how far it is. Name and actions stay in view. */
export function OrderHeader({ spv, trail, actions }: Props) {
  const { t } = useTranslation(['employee', 'common', 'names', 'client']);
  const name = orderName(spv);
  const breadcrumb = usePageName(name, trail);
  const next = nextStep(spv);
  const canComplete =
    next?.status !== 'completed' && next?.can.includes('update') && !spv.can.includes('start');
  usePageActions(
    next && canComplete
      ? [{ label: t('step.complete_next', { name: next.step_name }), run: () => actions.complete([next]) }]
      : [],
  );
  const lastDue = spv.steps
    .flatMap((step) => (step.status !== 'completed' && step.due_date ? [step.due_date] : []))
    .toSorted()
    .at(-1);
  return (
    <>
      {breadcrumb}
      <header className={classes.bar}>
        <div className={classes.names}>
          <Title order={1} className={classes.title}>
            {name}
          </Title>
          <span className={classes.identifier}>
            {spv.vehicle_name && <span className="mono">{spv.identifier}</span>}
            <CopyIcon text={spv.identifier} name={spv.identifier} />
          </span>
        </div>
        <div className={classes.actions}>
          <StatusActions spv={spv} />
          {next && canComplete && (
            <Button className={classes.next} data-bottom-action onClick={() => actions.complete([next])}>
              {t('step.complete_next', { name: next.step_name })}
            </Button>
          )}
        </div>
      </header>
      <div className={classes.facts}>
        <Text size="sm" c="dimmed">
          <Anchor component={Link} to={paths.employeeClient(spv.client_id)} c="inherit">
            {spv.client_name}
          </Anchor>
          {' · '}
          <Anchor component={Link} to={paths.employeeCompany(spv.company_id)} c="inherit">
            {spv.company_name}
          </Anchor>
          {` · ${t(`names:country.${spv.country}`)} · ${t('client:order.ordered', { date: date(spv.ordered_date) })}`}
        </Text>
        <div className={classes.progress}>
          <StepProgress
            steps={spv.steps.map((step) => step.status)}
            percent={spv.progress.percent}
            label={t('spvs.progress_of', { name: spv.identifier })}
          />
          <Text size="xs" c="dimmed" className="num">
            {t('common:steps_done', { ...spv.progress })}
            {lastDue && ` · ${t('spvs.last_due', { date: nearDate(lastDue) })}`}
          </Text>
        </div>
      </div>
    </>
  );
}
