import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { Consequence, SpvChange, SpvDetail } from '../../../api/types';
import { money, percent } from '../../../messages/format';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { toast } from '../../../ui/toasts';
import { Consequences } from './Consequences';

export type CorrectedField = keyof SpvChange;

/** Invoices, commissions and steps follow these fields. */
const FOLLOWED: CorrectedField[] = [
  'price',
  'filing_fee',
  'currency',
  'commission',
  'iso_commission_percentage',
  'client_id',
  'country',
];

interface Preview {
  change: SpvChange;
  /** The order as the change would leave it. */
  after: SpvDetail;
  consequences: Consequence[];
}

interface Options {
  spv: SpvDetail;
  field: CorrectedField;
  label: string;
  form: { setErrors: (errors: Record<string, string>) => void };
  onSaved: () => void;
  /** The question was left without saving. */
  onLeave: () => void;
}

/** Corrects a field of an order. What follows from it for invoices and commissions is shown before it is saved. */
export function useCorrection({ spv, field, label, form, onSaved, onLeave }: Options) {
  const { t } = useTranslation(['orders', 'common', 'names']);
  const [asking, setAsking] = useState<Preview | null>(null);
  const save = useSave({
    form,
    save: (change: SpvChange) =>
      body(api.PATCH('/rest/v1/spvs/{id}', { params: versionedBody(spv), body: change })),
    invalidates: 'spv',
    onSaved: () => {
      onSaved();
      toast({ title: t('corrected'), description: label });
    },
  });
  const preview = useSave({
    form,
    save: async (change: SpvChange): Promise<Preview> => {
      const params = versionedBody(spv);
      const found = await body(api.POST('/rest/v1/spvs/{id}/preview', { params, body: change }));
      return { change, after: found.spv, consequences: found.consequences };
    },
    onSaved: (found) => {
      if (found.consequences.length > 0) setAsking(found);
      else save.mutate(found.change);
    },
  });
  const leave = () => {
    setAsking(null);
    onLeave();
  };
  const shownValue = (after: SpvDetail) => {
    if (field === 'country') return t(`names:country.${after.country}`);
    if (field !== 'client_id') return valueText(field, after);
    return after.client_id === spv.client_id ? (after.iso_name ?? t('common:no_iso')) : after.client_name;
  };
  const value = asking && shownValue(asking.after);
  const dialog: ReactNode = asking && (
    <ConfirmDialog
      title={t('correction.title', { field: label })}
      confirmLabel={value ? t('correction.confirm', { value }) : t('correction.confirm_none')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      onConfirm={() => save.mutate(asking.change, { onError: leave })}
      onClose={leave}
    >
      <Consequences of={asking.consequences} />
    </ConfirmDialog>
  );
  return {
    submit: FOLLOWED.includes(field) ? preview.mutate : save.mutate,
    busy: preview.isPending || save.isPending,
    dialog,
  };
}

/** The corrected value; undefined where it is removed. */
function valueText(field: CorrectedField, after: SpvDetail): string | undefined {
  const {
    price,
    filing_fee: fee,
    currency,
    iso_commission: commission,
    iso_commission_percentage: rate,
  } = after;
  if (field === 'iso_commission_percentage') return rate ? percent(rate) : undefined;
  if (field === 'commission') return commission ? money(commission, currency) : undefined;
  if (field === 'filing_fee') return fee ? money(fee, currency) : undefined;
  if (field === 'currency' && !price) return currency;
  return price ? money(price, currency) : undefined;
}
