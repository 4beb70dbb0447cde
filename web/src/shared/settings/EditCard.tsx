import { useForm, type FormErrors, type UseFormReturnType } from '@mantine/form';
import { useState, type ReactNode } from 'react';
import type { Noun } from '../../api/events';
import { Section } from '../../ui/Section';
import { useFormDraft } from '../drafts';
import { useVersionConflict } from '../StaleProblem';
import { useUnsaved } from '../../ui/unsavedChanges';
import { useRequiredFieldsMessage, useSave } from '../useSave';
import { changedFields } from './changedFields';
import classes from './EditCard.module.css';
import { SaveBar } from './SaveBar';

/** Versioned resource of a card. */
interface Versioned {
  version: number;
}

interface Props<Whole extends Versioned, Values> {
  id?: string;
  title: string;
  /** Name of the draft. */
  draft: string;
  saveLabel: string;
  /** Last loaded version. */
  whole: Whole;
  /** Fields of this card. */
  valuesOf: (whole: Whole) => Values;
  validate?: (values: Values) => FormErrors;
  save: (values: Values, version: number) => Promise<Whole>;
  onSaved: (whole: Whole) => void;
  invalidates: Noun | Noun[];
  /** Current version. */
  load: () => Promise<Whole>;
  above?: ReactNode;
  /** Content beside the button. */
  below?: ReactNode;
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

/** A card that edits some fields of a shared resource and saves them. */
export function EditCard<Whole extends Versioned, Values extends object>(props: Props<Whole, Values>) {
  const { id, title, saveLabel, whole, valuesOf, validate, save, onSaved, invalidates, load } = props;
  const { draft, above, below, children } = props;
  const missing = useRequiredFieldsMessage();
  const [baseline, setBaseline] = useState(whole);
  const stale = useVersionConflict();
  const form = useForm<Values>({ initialValues: valuesOf(whole), validate });
  useFormDraft(draft, form, baseline, setBaseline);
  const show = (newest: Whole) => {
    setBaseline(newest);
    stale.forget();
    form.setInitialValues(valuesOf(newest));
    form.reset();
  };
  // A save of another card is no conflict; a concurrent change of these fields is.
  if (whole.version > baseline.version) {
    // With the values of the form: after a restored draft `baseline` has the version of the draft and the newest fields.
    if (JSON.stringify(valuesOf(whole)) === JSON.stringify(form.getInitialValues())) setBaseline(whole);
    else if (!form.isDirty()) show(whole);
  }
  const saving = useSave({
    form,
    save: (values: Values) => save(values, baseline.version),
    onSaved: (newest) => {
      show(newest);
      onSaved(newest);
    },
    invalidates,
    explain: stale.explain,
  });
  useUnsaved(form.isDirty() && !saving.isPending);
  const problem = stale.problem(async () => show(await load()));
  return (
    <form
      id={id}
      tabIndex={id ? -1 : undefined}
      aria-label={title}
      onSubmit={form.onSubmit((values) => saving.mutate(values), missing)}
      noValidate
    >
      <Section title={title} flush>
        <div className={classes.body}>
          <div className={classes.fields}>
            {above}
            {children(form)}
          </div>
          {problem && (
            <div role="alert" className={classes.problem}>
              {problem}
            </div>
          )}
        </div>
        <SaveBar
          changes={changedFields(form)}
          busy={saving.isPending}
          saveLabel={saveLabel}
          onDiscard={form.reset}
        >
          {below}
        </SaveBar>
      </Section>
    </form>
  );
}
