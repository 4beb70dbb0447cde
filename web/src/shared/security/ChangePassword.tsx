import { Anchor } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { ApiError, errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { paths } from '../../paths';
import { FormModal } from '../../ui/FormModal';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { PasswordField } from '../auth/PasswordField';
import { MAX_PASSWORD_LENGTH, passwordError } from '../auth/passwordError';
import { useMinPasswordLength } from '../auth/passwordRules';
import { weakness } from '../auth/authErrorText';
import { focusFirstError } from '../focusFirstError';
import { required } from '../validators';
import { useMe } from '../session/me';
import { accountQueries } from './accountQueries';
import classes from './ChangePassword.module.css';

export function ChangePassword({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['security', 'public', 'common']);
  const { email } = useMe();
  const shortest = useMinPasswordLength();
  const [problem, setProblem] = useState<string>();
  const form = useForm({
    initialValues: { current: '', next: '', again: '' },
    validate: {
      current: required,
      next: (next) => {
        const fault = passwordError(next, shortest);
        return fault
          ? t(`public:reset.${fault}`, { count: fault === 'too_long' ? MAX_PASSWORD_LENGTH : shortest })
          : null;
      },
      again: (again, { next }) => (again === next ? null : t('public:reset.differs')),
    },
  });
  const save = useMutation({
    mutationFn: ({ current, next }: typeof form.values) =>
      unwrapAuthResult(auth.updateUser({ password: next, current_password: current })),
    onMutate: () => document.activeElement,
    onSuccess: () => {
      toast({ title: t('password.changed'), description: t('password.changed_text') });
      void queryClient.invalidateQueries({ queryKey: accountQueries.all });
      onClose();
    },
    onError: (error, _input, from) => {
      const words = errorMessage(error);
      const field = error instanceof ApiError && errorField[error.code];
      if (field) focusFirstError(() => form.setFieldError(field, words), from);
      else setProblem(words);
    },
  });
  return (
    <FormModal
      title={t('password.change')}
      text={t('password.others_end')}
      size="md"
      submitLabel={t('password.change')}
      busyLabel={t('common:saving')}
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
      {/* Username for password managers. */}
      <input
        className="sr-only"
        type="email"
        autoComplete="username"
        value={email}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <PasswordField
        label={t('password.current')}
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus
        key={form.key('current')}
        {...form.getInputProps('current')}
      />
      <Anchor component={Link} to={paths.forgotPassword} size="sm" className={classes.forgotten}>
        {t('password.forgotten')}
      </Anchor>
      <PasswordField
        label={t('password.new')}
        autoComplete="new-password"
        required
        withAsterisk={false}
        description={<Rules shortest={shortest} />}
        descriptionProps={{ component: 'div' }}
        key={form.key('next')}
        {...form.getInputProps('next')}
      />
      <PasswordField
        label={t('password.again')}
        autoComplete="new-password"
        required
        withAsterisk={false}
        key={form.key('again')}
        {...form.getInputProps('again')}
      />
    </FormModal>
  );
}

function Rules({ shortest }: { shortest: number }) {
  const { t } = useTranslation('security');
  return (
    <>
      {t('password.rules')}
      <ul className={classes.rules}>
        <li>{t('password.rule_length', { count: shortest })}</li>
        <li>{t('password.rule_common')}</li>
        <li>{t('password.rule_own')}</li>
      </ul>
    </>
  );
}

const errorField: Record<string, 'current' | 'next'> = {
  current_password_invalid: 'current',
  current_password_required: 'current',
  same_password: 'next',
  weak_password: 'next',
  password_too_long: 'next',
};

function errorMessage(error: unknown): string {
  const reasons = error instanceof ApiError ? error.params.reasons : undefined;
  return (Array.isArray(reasons) && weakness(reasons)) || errorText(error);
}
