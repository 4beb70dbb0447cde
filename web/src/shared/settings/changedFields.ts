import type { UseFormReturnType } from '@mantine/form';

/** Number of fields that differ from what is saved. */
export function changedFields<Values extends object>(form: UseFormReturnType<Values>): number {
  return Object.keys(form.values).filter((field) => form.isDirty(field)).length;
}
