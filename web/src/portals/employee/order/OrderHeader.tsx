import { Anchor, Text, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SpvDetail } from '../../../api/types';
import { date, nearDate } from '../../../messages/format';
import { paths } from '../../../paths';
import { useMe } from '../../../shared/session/me';
import { usePageActions } from '../../../shared/shell/registry';
import { identifierBesideName, orderName } from '../../../shared/spvs/orderName';
import { CopyIcon } from '../../../ui/CopyButton';
import { usePageName } from '../../../ui/PageHeader';
import { StepProgress } from '../../../ui/StepProgress';
import { StatusMenu } from '../spvs/StatusMenu';
import { useStatusChange } from '../spvs/useStatusChange';
import { NextAction, nextAction } from './NextAction';
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
  const me = useMe();
  const change = useStatusChange(spv);
  const next = nextAction(spv);
  usePageActions(
    next?.kind === 'complete'
      ? [
          {
            label: t('step.complete_next', { name: next.step.step_name }),
            run: () => actions.complete([next.step]),
          },
        ]
      : [],
  );
  // Super admins always see it, enabled while the order is pending (specification).
  const start =
    me.role === 'super_admin' && next?.kind !== 'start'
      ? [
          {
            label: t('spvs.start'),
            icon: <IconPlayerPlay size={15} />,
            reason: t('spvs.start_refused'),
          },
        ]
      : [];
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
            {identifierBesideName(spv) && <span className="mono">{spv.identifier}</span>}
            <CopyIcon text={spv.identifier} name={spv.identifier} />
          </span>
        </div>
        <div className={classes.actions}>
          <StatusMenu spv={spv} change={change} beside={next && [next.kind]} refused={start} />
          {next && <NextAction next={next} actions={actions} change={change} />}
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
