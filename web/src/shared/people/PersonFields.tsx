import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FieldPair } from '../../ui/FormModal';

interface Person {
  first_name: string;
  last_name: string;
  email: string;
  phone: string;
}

interface Props<Values extends Person> {
  form: UseFormReturnType<Values>;
  /** Focuses the name initially. */
  autofocus?: boolean;
}

/** Name, email and phone fields. */
export function PersonFields<Values extends Person>({ form, autofocus = false }: Props<Values>) {
  const { t } = useTranslation('names');
  const field = (name: keyof Person) => ({
    size: 'sm',
    label: t(`field.${name}`),
    ...form.getInputProps(name),
  });
  return (
    <>
      <FieldPair>
        <TextInput {...field('first_name')} required data-autofocus={autofocus || undefined} />
        <TextInput {...field('last_name')} required />
      </FieldPair>
      <FieldPair>
        <TextInput {...field('email')} type="email" required />
        <TextInput {...field('phone')} type="tel" />
      </FieldPair>
    </>
  );
}
