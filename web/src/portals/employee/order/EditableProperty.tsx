import { Button, TextInput, VisuallyHidden } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPencil } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { SpvChange, SpvDetail } from '../../../api/types';
import { useSave } from '../../../shared/useSave';
import { AmountInput } from '../../../ui/AmountInput';
import { BusyButton } from '../../../ui/BusyButton';
import { DateField } from '../../../ui/DateField';
import { toast } from '../../../ui/toasts';
import { useUnsaved } from '../../../ui/unsavedChanges';
import classes from './Properties.module.css';

type Field = keyof SpvChange;

interface Props {
  spv: SpvDetail;
  field: Field;
  /** As it is shown while it is not edited. */
  shown: ReactNode;
  input?: 'text' | 'amount' | 'date';
}

/** A detail of an order. The staff edit it in place: Enter saves, Escape leaves it. */
export function EditableProperty({ spv, field, shown, input = 'text' }: Props) {
  const { t } = useTranslation(['orders', 'names']);
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const label = t(`names:field.${field}`);
  const canEdit = spv.can.includes('update');
  if (!canEdit && !shown) return null;
  const close = () => {
    setEditing(false);
    // After the button is drawn again.
    requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <div className={classes.property}>
      <dt>{label}</dt>
      <dd className="num">
        {editing && <Editor spv={spv} field={field} label={label} input={input} onClose={close} />}
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

interface EditorProps {
  spv: SpvDetail;
  field: Field;
  label: string;
  input: 'text' | 'amount' | 'date';
  onClose: () => void;
}

function Editor({ spv, field, label, input, onClose }: EditorProps) {
  const { t } = useTranslation(['orders', 'common']);
  const form = useForm<SpvChange>({ initialValues: { [field]: spv[field] ?? '' } });
  useUnsaved(form.isDirty());
  const save = useSave({
    form,
    save: (change: SpvChange) =>
      body(api.PATCH('/rest/v1/spvs/{id}', { params: versionedBody(spv), body: change })),
    invalidates: 'spv',
    onSaved: () => {
      onClose();
      toast({ title: t('corrected'), description: label });
    },
  });
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => element.current?.querySelector('input')?.focus(), []);
  const props = { ...form.getInputProps(field), 'aria-label': label };
  return (
    <form
      ref={element}
      className={classes.editor}
      noValidate
      onSubmit={form.onSubmit((change) => save.mutate(change))}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      {input === 'text' && <TextInput size="xs" autoComplete="off" {...props} />}
      {input === 'amount' && <AmountInput unit={spv.currency} {...props} />}
      {input === 'date' && <DateField presets="past" label={label} {...form.getInputProps(field)} />}
      <div className={classes.buttons}>
        <BusyButton
          type="submit"
          size="xs"
          busy={save.isPending}
          label={t('common:save')}
          busyLabel={t('common:saving')}
        />
        <Button variant="default" size="xs" onClick={onClose}>
          {t('common:cancel')}
        </Button>
      </div>
    </form>
  );
}
