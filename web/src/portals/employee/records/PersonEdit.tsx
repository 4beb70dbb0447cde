import { TextInput } from '@mantine/core';
import { useForm, type FormErrors, type UseFormReturnType } from '@mantine/form';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Noun } from '../../../api/events';
import { useVersionConflict } from '../../../shared/StaleProblem';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { FieldPair, FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

interface Names {
  first_name: string;
  last_name: string;
}
interface Person extends Names {
  email: string;
}

interface Props<Row extends Person, Values extends Names> {
  title: string;
  savedTitle: string;
  /** The row when the dialog was opened. */
  row: Row;
  valuesOf: (row: Row) => Values;
  validate?: (values: Values) => FormErrors;
  /** Saves against the version of `row`. */
  save: (values: Values, row: Row) => Promise<Row>;
  /** Current version. */
  load: () => Promise<Row>;
  invalidates: Noun;
  onClose: () => void;
  /** Fields below the names. */
  children: (form: UseFormReturnType<Values>, row: Row) => ReactNode;
}

/** Edit dialog of a person record (client, ISO partner): names, and the fields of its kind. */
export function PersonEdit<Row extends Person, Values extends Names>(props: Props<Row, Values>) {
  const { valuesOf, validate, save, load, invalidates, savedTitle, onClose } = props;
  const { t } = useTranslation(['common', 'names']);
  const [row, setRow] = useState(props.row);
  const stale = useVersionConflict();
  const missing = useRequiredFieldsMessage();
  const form = useForm<Values>({ initialValues: valuesOf(row), validate });
  const saving = useSave({
    form,
    save: (values: Values) => save(values, row),
    invalidates,
    onSaved: (saved) => {
      toast({ title: savedTitle, description: `${saved.first_name} ${saved.last_name}` });
      onClose();
    },
    explain: stale.explain,
  });
  const reload = async () => {
    const newest = await load();
    setRow(newest);
    stale.forget();
    form.setInitialValues(valuesOf(newest));
    form.reset();
  };
  const nameField = (name: keyof Names) => (
    <TextInput
      size="sm"
      label={t(`names:field.${name}`)}
      required
      data-autofocus={name === 'first_name' || undefined}
      {...form.getInputProps(name)}
    />
  );
  return (
    <FormModal
      title={props.title}
      text={row.email}
      submitLabel={t('save')}
      busyLabel={t('saving')}
      busy={saving.isPending}
      dirty={form.isDirty()}
      problem={stale.problem(reload)}
      onSubmit={form.onSubmit((values) => saving.mutate(values), missing)}
      onClose={onClose}
    >
      <FieldPair>
        {nameField('first_name')}
        {nameField('last_name')}
      </FieldPair>
      {props.children(form, row)}
    </FormModal>
  );
}
