import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { ApiError, errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { FormModal } from '../../ui/FormModal';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { focusFirstError } from '../focusFirstError';
import { required } from '../validators';
import { accountQueries, useEmailWords } from './accountQueries';
import { withReauthentication } from './reauthentication';

interface Props {
  current: string;
  onClose: () => void;
}

export function ChangeEmail({ current, onClose }: Props) {
  const { t } = useTranslation(['security', 'common']);
  const topic = useEmailWords();
  const [problem, setProblem] = useState<string>();
  const form = useForm({
    initialValues: { email: '' },
    validate: {
      email: (email) =>
        required(email) ?? (email.trim().toLowerCase() === current.toLowerCase() ? t('email.same') : null),
    },
  });
  const save = useMutation({
    mutationFn: ({ email }: typeof form.values) =>
      withReauthentication(() =>
        unwrapAuthResult(
          auth.updateUser(
            { email: email.trim() },
            { emailRedirectTo: location.origin + location.pathname + location.search },
          ),
        ),
      ),
    onMutate: () => document.activeElement,
    onSuccess: async ({ user }) => {
      const next = user.new_email ?? form.values.email.trim();
      onClose();
      toast({ title: t(`${topic}.asked`), description: t(`${topic}.asked_text`, { current, next }) });
      await queryClient.invalidateQueries({ queryKey: accountQueries.all });
    },
    onError: (error, _input, from) => {
      const words = error instanceof ApiError ? besideField(error) : undefined;
      if (words) focusFirstError(() => form.setFieldError('email', words), from);
      else setProblem(errorText(error));
    },
  });
  const besideField = ({ code }: ApiError) => {
    if (code === 'email_exists') return t('errors:fields.email_taken');
    if (code === 'email_address_invalid') return t('errors:fields.email_local_part');
    return code === 'validation_failed' ? t('errors:fields.invalid_email') : undefined;
  };
  return (
    <FormModal
      title={t('email.change')}
      text={t(`${topic}.how`)}
      size="md"
      submitLabel={t(`${topic}.ask`)}
      busyLabel={t('email.sending')}
      busy={save.isPending}
      dirty={form.isDirty()}
      problem={problem}
      onSubmit={form.onSubmit(
        (values) => {
          setProblem(undefined);
          save.mutate(values);
        },
        () => focusFirstError(),
      )}
      onClose={onClose}
    >
      <TextInput
        label={t('email.new')}
        type="email"
        autoComplete="email"
        required
        withAsterisk={false}
        data-autofocus
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
    </FormModal>
  );
}
