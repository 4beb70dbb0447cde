import { Anchor, Skeleton, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../../api/errors';
import type { SpvDetail } from '../../../api/types';
import { paths } from '../../../paths';
import { identifierBesideName, orderName } from '../../../shared/spvs/orderName';
import { ErrorState } from '../../../ui/ErrorState';
import { OrderSteps } from '../order/OrderSteps';
import { Overview } from '../order/Overview';
import { useOrder } from '../order/useOrder';
import classes from './SpvSteps.module.css';
import { StatusActions } from './StatusActions';

/** The selected order: details, actions and steps. */
export function SpvSteps({ id }: { id: string }) {
  const { t } = useTranslation('employee');
  const { data: spv, error, refetch } = useOrder(id);
  const panel = useRef<HTMLElement>(null);

  useEffect(() => {
    // On a phone the selected order is below the list, so it is scrolled into view.
    if (matchMedia('(max-width: 900px)').matches) panel.current?.scrollIntoView({ block: 'start' });
  }, []);

  return (
    <section ref={panel} className={classes.panel} aria-label={spv?.identifier ?? t('spvs.steps')}>
      {error && !spv && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!spv && !error && <Skeleton height={240} m="md" width="auto" />}
      {spv && (
        <>
          <Head spv={spv} />
          <OrderSteps spv={spv} />
        </>
      )}
    </section>
  );
}

function Head({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('orders');
  return (
    <header className={classes.head}>
      <div className={classes.title}>
        <Title order={2}>{orderName(spv)}</Title>
        {identifierBesideName(spv) && <span className="mono">{spv.identifier}</span>}
        <Anchor component={Link} to={paths.employeeOrder(spv.id)} size="sm">
          {t('open_page')}
        </Anchor>
        <div className={classes.actions}>
          <StatusActions spv={spv} />
        </div>
      </div>
      <Overview spv={spv} />
    </header>
  );
}
