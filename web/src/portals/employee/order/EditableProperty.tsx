import { Button, TextInput, VisuallyHidden } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPencil } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SpvChange, SpvDetail } from '../../../api/types';
import { amountToWire, percentToWire } from '../../../messages/amount';
import { useCountries, useCurrencies, type Country, type Currency } from '../../../shared/countries';
import { AmountInput } from '../../../ui/AmountInput';
import { BusyButton } from '../../../ui/BusyButton';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { DateField } from '../../../ui/DateField';
import { useUnsaved } from '../../../ui/unsavedChanges';
import { useCorrection, type CorrectedField } from './useCorrection';
import classes from './Properties.module.css';

type Input = 'text' | 'amount' | 'percent' | 'currency' | 'country' | 'date';

interface Props {
  spv: SpvDetail;
  field: CorrectedField;
  /** As it is shown while it is not edited. */
  shown: ReactNode;
  input?: Input;
}

/** A detail of an order. The staff edit it in place: Enter saves, Escape leaves it. */
export function EditableProperty({ spv, field, shown, input = 'text' }: Props) {
  const { t } = useTranslation(['orders', 'names']);
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  // Once the button is drawn again: the next frame may come before it.
  useEffect(() => {
    if (wasEditing.current && !editing) button.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  const label = t(`names:field.${field}`);
  const canEdit = spv.can.includes('update');
  if (!canEdit && !shown) return null;
  return (
    <div className={classes.property}>
      <dt>{label}</dt>
      <dd className="num">
        {editing && (
          <Editor spv={spv} field={field} label={label} input={input} onClose={() => setEditing(false)} />
        )}
        {!editing && canEdit && (
          <button ref={button} type="button" className={classes.edit} onClick={() => setEditing(true)}>
            <VisuallyHidden>{t('edit_field', { field: label })} </VisuallyHidden>
            {shown || <span className={classes.empty}>{t('not_set')}</span>}
            <IconPencil size={14} className={classes.pencil} aria-hidden />
          </button>
        )}
        {!editing && !canEdit && shown}
      </dd>
    </div>
  );
}

/** A commission by percentage is edited as one; its amount follows. */
function valueOf(spv: SpvDetail, field: CorrectedField): string {
  if (field !== 'commission') return spv[field] ?? '';
  return (!spv.iso_commission_percentage && spv.iso_commission) || '';
}

interface EditorProps {
  spv: SpvDetail;
  field: CorrectedField;
  label: string;
  input: Input;
  onClose: () => void;
}

function Editor({ spv, field, label, input, onClose }: EditorProps) {
  const { t } = useTranslation(['orders', 'common']);
  const countries = useCountries();
  const form = useForm<SpvChange>({ initialValues: { [field]: valueOf(spv, field) } });
  useUnsaved(form.isDirty());
  const element = useRef<HTMLFormElement>(null);
  const focus = () => element.current?.querySelector<HTMLElement>('input, button')?.focus();
  useEffect(focus, []);
  const { submit, busy, dialog } = useCorrection({
    spv,
    field,
    label,
    form,
    onSaved: onClose,
    // After the dialog is gone, which keeps the focus.
    onLeave: () => requestAnimationFrame(focus),
  });
  const currencies = useCurrencies(spv.currency);
  const props = { ...form.getInputProps(field), 'aria-label': label };
  const wire = (change: SpvChange): SpvChange => {
    const typed = change[field] ?? '';
    if (input === 'amount') return { [field]: amountToWire(typed, spv.currency) };
    return { [field]: input === 'percent' ? percentToWire(typed) : typed };
  };
  return (
    <>
      <form
        ref={element}
        className={classes.editor}
        noValidate
        onSubmit={form.onSubmit((change) => submit(wire(change)))}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onClose();
        }}
      >
        {input === 'text' && <TextInput size="xs" autoComplete="off" {...props} />}
        {input === 'amount' && <AmountInput unit={spv.currency} {...props} />}
        {input === 'percent' && <AmountInput unit="%" {...props} />}
        {input === 'currency' && (
          <ChoiceSelect<Currency> label={label} choices={currencies} {...form.getInputProps(field)} />
        )}
        {input === 'country' && (
          <ChoiceSelect<Country> label={label} choices={countries} {...form.getInputProps(field)} />
        )}
        {input === 'date' && <DateField presets="past" label={label} {...form.getInputProps(field)} />}
        <div className={classes.buttons}>
          <BusyButton
            type="submit"
            size="xs"
            busy={busy}
            label={t('common:save')}
            busyLabel={t('common:saving')}
          />
          <Button variant="default" size="xs" onClick={onClose}>
            {t('common:cancel')}
          </Button>
        </div>
      </form>
      {/* Beside the form: Escape in the dialog would reach it. */}
      {dialog}
    </>
  );
}
