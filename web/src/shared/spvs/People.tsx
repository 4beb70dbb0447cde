import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { SpvDetail } from '../../api/types';
import { Section } from '../../ui/Section';
import classes from './People.module.css';

/** People of an order; staff also see the client. */
export function OrderPeople({ spv, withClient = false }: { spv: SpvDetail; withClient?: boolean }) {
  const { t } = useTranslation('orders');
  const { data: settings } = useQuery(queries.settings());
  const representative = settings?.representative;
  return (
    <Section title={t('people')}>
      <dl className={classes.people}>
        {withClient && (
          <PersonName role={t('client')} name={spv.client_name}>
            <Anchor href={`mailto:${spv.client_email}`} fz="inherit">
              {spv.client_email}
            </Anchor>
          </PersonName>
        )}
        {representative && (
          <PersonName role={t('representative')} name={representative.name}>
            {representative.email && (
              <Anchor href={`mailto:${representative.email}`} fz="inherit">
                {representative.email}
              </Anchor>
            )}
          </PersonName>
        )}
        {spv.iso_name && <PersonName role={t('iso')} name={spv.iso_name} />}
        <PersonName role={t('company')} name={spv.company_name} />
      </dl>
    </Section>
  );
}

function PersonName({ role, name, children }: { role: string; name: string; children?: ReactNode }) {
  return (
    <div>
      <dt>{role}</dt>
      <dd>{name}</dd>
      {children && <dd className={classes.way}>{children}</dd>}
    </div>
  );
}
