import { Anchor, Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { BusyButton } from '../../ui/BusyButton';
import { CodeInput, isWholeCode } from '../../ui/CodeInput';
import { usePasskeys } from '../auth/passkeys';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { PasswordField } from '../auth/PasswordField';
import { useCountdown } from '../auth/useCountdown';
import { ChallengeForm } from './ChallengeForm';
import { identityFor, accountQueries, verifiedApps } from './accountQueries';
import { authCall } from './authApi';
import { Dialog } from '../../ui/Dialog';
import classes from './ChallengeForm.module.css';

type Method = 'app' | 'password' | 'email';

/** Reauthentication dialog: authenticator or passkey, password or emailed code. */
export function ReauthenticationDialog({ onAnswer }: { onAnswer: (proved: boolean) => void }) {
  const { t } = useTranslation(['security', 'common']);
  const { data: user } = useQuery(accountQueries.user());
  const { data: passkeys } = useQuery(accountQueries.passkeys());
  const byPasskey = usePasskeys() && (passkeys?.length ?? 0) > 0;
  const [chosen, setChosen] = useState<Method>();
  const methods: Method[] = user
    ? [
        ...(verifiedApps(user).length > 0 || byPasskey ? (['app'] as const) : []),
        ...(identityFor(user, 'email') ? (['password'] as const) : []),
        'email',
      ]
    : [];
  const method = chosen ?? methods[0];
  const close = () => onAnswer(false);
  const form = { onProved: () => onAnswer(true), onCancel: close };
  return (
    <Dialog onClose={close} title={t('proof.title')} size="sm">
      <Text size="sm" c="dimmed" mb="md">
        {t('proof.text')}
      </Text>
      {method === 'app' && <ChallengeForm onVerified={form.onProved} onCancel={close} />}
      {method === 'password' && <PasswordStep {...form} />}
      {method === 'email' && user && <MailCodeStep email={user.email ?? ''} {...form} />}
      {methods
        .filter((other) => other !== method)
        .map((other) => (
          <Anchor
            key={other}
            component="button"
            type="button"
            size="sm"
            mt="sm"
            display="block"
            onClick={() => setChosen(other)}
          >
            {t(`proof.by.${other === 'app' && byPasskey ? 'passkey' : other}`)}
          </Anchor>
        ))}
    </Dialog>
  );
}

interface FormProps {
  onProved: () => void;
  onCancel: () => void;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Submits a proof and refreshes the session, whose token has the proof time. */
function useReauthenticate(onProved: () => void, wrong: (error: unknown) => string) {
  const [problem, setProblem] = useState<string>();
  const [wait, setWait] = useCountdown();
  const { t } = useTranslation('public');
  const send = useMutation({
    mutationFn: async (proof: { password: string } | { nonce: string }) => {
      const { access_token, refresh_token } = await authCall<Tokens>('POST', '/reauthenticate', {
        body: proof,
      });
      await unwrapAuthResult(auth.setSession({ access_token, refresh_token }));
    },
    onSuccess: onProved,
    onError: (error) => {
      const seconds = error instanceof ApiError ? Number(error.params.seconds) : 0;
      if (seconds > 0) setWait(seconds);
      setProblem(wrong(error));
    },
  });
  const notice = wait > 0 ? t('problem.wait', { count: wait }) : problem;
  return { send, notice, setProblem, waits: wait > 0 || send.isPending };
}

function PasswordStep({ onProved, onCancel }: FormProps) {
  const { t } = useTranslation(['security', 'common']);
  const [password, setPassword] = useState('');
  const { send, notice, setProblem, waits } = useReauthenticate(onProved, errorText);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (waits) return;
    if (password) send.mutate({ password });
    else setProblem(t('errors:fields.required'));
  };
  return (
    <ReauthenticationForm onSubmit={submit} onCancel={onCancel} busy={send.isPending}>
      <PasswordField
        label={t('password.current')}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={notice}
        required
        withAsterisk={false}
        data-autofocus
      />
    </ReauthenticationForm>
  );
}

function MailCodeStep({ email, onProved, onCancel }: FormProps & { email: string }) {
  const { t } = useTranslation(['security', 'common']);
  const [code, setCode] = useState('');
  const { send, notice, setProblem, waits } = useReauthenticate(onProved, errorText);
  const mail = useMutation({
    mutationFn: () => unwrapAuthResult(auth.reauthenticate()),
    onError: (error) => setProblem(errorText(error)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!mail.isSuccess) mail.mutate();
    else if (waits) return;
    else if (isWholeCode(code)) send.mutate({ nonce: code });
    else setProblem(t('code.six'));
  };
  // Replaces the pressed button, so it takes the focus.
  const field = { required: true, withAsterisk: false, autoFocus: true };
  return (
    <ReauthenticationForm
      onSubmit={submit}
      onCancel={onCancel}
      busy={send.isPending || mail.isPending}
      label={mail.isSuccess ? undefined : t('proof.send')}
    >
      {mail.isSuccess ? (
        <>
          <Text size="sm" role="status">
            {t('proof.sent', { email })}
          </Text>
          <CodeInput {...field} label={t('proof.code')} value={code} onChange={setCode} error={notice} />
        </>
      ) : (
        <>
          <Text size="sm">{t('proof.will_send', { email })}</Text>
          {notice && (
            <Text size="sm" c="red" role="alert">
              {notice}
            </Text>
          )}
        </>
      )}
    </ReauthenticationForm>
  );
}

interface ProofFormProps {
  onSubmit: (event: FormEvent) => void;
  onCancel: () => void;
  busy: boolean;
  label?: string;
  children: ReactNode;
}

function ReauthenticationForm({ onSubmit, onCancel, busy, label, children }: ProofFormProps) {
  const { t } = useTranslation(['security', 'common']);
  return (
    <form className={classes.form} noValidate onSubmit={onSubmit}>
      {children}
      <div className={classes.actions}>
        <BusyButton
          type="submit"
          busy={busy}
          label={label ?? t('common:continue')}
          busyLabel={t('code.checking')}
        />
        <Button variant="default" onClick={onCancel} disabled={busy}>
          {t('common:cancel')}
        </Button>
      </div>
    </form>
  );
}
