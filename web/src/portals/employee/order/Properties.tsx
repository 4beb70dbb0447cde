import { Anchor, Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SpvDetail } from '../../../api/types';
import { date, money, percent } from '../../../messages/format';
import { paths } from '../../../paths';
import { Section } from '../../../ui/Section';
import { EditableProperty } from './EditableProperty';
import { PartiesForm } from './PartiesForm';
import classes from './Properties.module.css';

/** Details of an order; the staff correct them in place while it is open. */
export function Properties({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['employee', 'common', 'names', 'orders']);
  const [changing, setChanging] = useState(false);
  const amount = (value: string | null) => value && money(value, spv.currency);
  return (
    <Section title={t('orders:properties')}>
      <dl className={classes.list}>
        <EditableProperty spv={spv} field="vehicle_name" shown={spv.vehicle_name} />
        <EditableProperty
          spv={spv}
          field="custom_identifier"
          shown={spv.custom_identifier && <span className="mono">{spv.custom_identifier}</span>}
        />
        <EditableProperty spv={spv} field="reference" shown={spv.reference} />
        <EditableProperty
          spv={spv}
          field="purchase_amount"
          shown={amount(spv.purchase_amount)}
          input="amount"
        />
        <EditableProperty spv={spv} field="ordered_date" shown={date(spv.ordered_date)} input="date" />
        <EditableProperty
          spv={spv}
          field="country"
          shown={t(`names:country.${spv.country}`)}
          input="country"
        />
        <Property label={t('column.email')}>
          <Anchor href={`mailto:${spv.client_email}`} fz="inherit" truncate title={spv.client_email}>
            {spv.client_email}
          </Anchor>
        </Property>
        <Property label={t('column.iso')}>
          {spv.iso_id ? (
            <Anchor component={Link} to={paths.employeeIso(spv.iso_id)} fz="inherit">
              {spv.iso_name}
            </Anchor>
          ) : (
            t('common:no_iso')
          )}
        </Property>
        <Property label={t('orders:number')}>
          <span className="mono">{spv.order_number}</span>
        </Property>
        <EditableProperty spv={spv} field="price" shown={amount(spv.price)} input="amount" />
        {spv.price && (
          <EditableProperty spv={spv} field="filing_fee" shown={amount(spv.filing_fee)} input="amount" />
        )}
        <EditableProperty spv={spv} field="currency" shown={spv.currency} input="currency" />
        {spv.iso_id && (
          <>
            <EditableProperty
              spv={spv}
              field="iso_commission_percentage"
              shown={spv.iso_commission_percentage && percent(spv.iso_commission_percentage)}
              input="percent"
            />
            <EditableProperty
              spv={spv}
              field="commission"
              shown={amount(spv.iso_commission)}
              input="amount"
            />
          </>
        )}
      </dl>
      {spv.can.includes('reassign') && (
        <Button variant="subtle" size="compact-sm" mt="sm" ml={-8} onClick={() => setChanging(true)}>
          {t('orders:parties.change')}
        </Button>
      )}
      {changing && <PartiesForm spv={spv} onClose={() => setChanging(false)} />}
    </Section>
  );
}

function Property({ label, children }: { label: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <div className={classes.property}>
      <dt>{label}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}
