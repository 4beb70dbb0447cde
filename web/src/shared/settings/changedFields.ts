import type { UseFormReturnType } from '@mantine/form';

/** The fields that differ from what is saved. */
export function changedValues<Values extends object>(form: UseFormReturnType<Values>): Partial<Values> {
  const changed = Object.entries(form.values).filter(([field]) => form.isDirty(field));
  return Object.fromEntries(changed) as Partial<Values>;
}

/** Number of fields that differ from what is saved. */
export function changedFields<Values extends object>(form: UseFormReturnType<Values>): number {
  return Object.keys(changedValues(form)).length;
}
