import { useRef, useState, type FormEvent } from 'react';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { loadPortalMessages } from '../../../messages';
import { loadAuth } from '../../../api/session';
import { useSettings } from '../../../shared/settings/useSettings';
import { paths, type Portal } from '../../../paths';
import { BusyButton } from '../../../ui/BusyButton';
import { toast } from '../../../ui/toasts';
import { AppLink } from '../frame/AppLink';
import { PasswordField } from '../../../shared/auth/PasswordField';
import { useStorageLimited } from '../../../shared/auth/useStorageLimited';
import { signIn, type SignInOutcome } from './signIn';
import { usePasskeySignIn } from './usePasskeySignIn';
import { useCountdown } from '../../../shared/auth/useCountdown';
import css from './LoginForm.module.css';
import task from './AuthCard.module.css';

interface Props {
  portal: Portal;
  remember: boolean;
  onRemember: (remember: boolean) => void;
  /** Provider callback in progress. */
  waiting?: boolean;
  /** Callback error, shown until the next attempt. */
  answer?: string;
}

/** Accounts of a demo portal; the operator may have set another password. */
const DEMO_PASSWORD = 'portal-demo-2026';
const demoEmails: Record<Portal, string> = {
  client: 'client@example.com',
  employee: 'employee@example.com',
  company: 'company@example.com',
  iso: 'iso@example.com',
};

export function LoginForm({ portal, remember, onRemember, waiting = false, answer }: Props) {
  const { t } = useTranslation('public');
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(answer);
  const [wait, setWait] = useCountdown();
  const limited = useStorageLimited();
  const notice = wait > 0 ? t('problem.wait', { count: wait }) : problem;
  const settings = useSettings();

  // Signing in waits for the auth client and the messages; failures show then.
  const warm = () => void Promise.all([loadAuth(), loadPortalMessages()]).catch(() => undefined);
  const focus = (name: string) => form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus();

  const proceed = async (outcome: SignInOutcome) => {
    if (!outcome.problem) {
      await navigate(outcome.path, { replace: true });
      return;
    }
    setProblem(outcome.problem.wait ? undefined : outcome.problem.text);
    setWait(outcome.problem.wait ?? 0);
  };
  const passkey = usePasskeySignIn({ portal, remember, onOutcome: (outcome) => void proceed(outcome) });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!email || !password) {
      toast({ title: t('common:missing.title'), description: t('common:missing.text'), destructive: true });
      focus(email ? 'password' : 'email');
      return;
    }
    setBusy(true);
    setProblem(undefined);
    const outcome = await signIn(portal, { email, password, remember });
    setBusy(false);
    await proceed(outcome);
    if (outcome.problem) focus('password');
  };

  const passwordField = {
    name: 'password',
    label: t('login.password'),
    value: password,
    error: tried && !password && t('login.password_required'),
    onChange: (event: { currentTarget: { value: string } }) => setPassword(event.currentTarget.value),
    autoComplete: 'current-password',
    required: true,
    withAsterisk: false,
  };
  return (
    <form ref={form} className={css.form} noValidate onSubmit={(event) => void submit(event)} onFocus={warm}>
      {notice && <p className={task.problem}>{notice}</p>}
      {limited && <p className={css.limited}>{t('login.storage')}</p>}
      <TextInput
        name="email"
        type="email"
        label={t('login.email')}
        value={email}
        error={tried && !email && t('login.email_required')}
        onChange={(event) => setEmail(event.currentTarget.value)}
        autoComplete={passkey.available ? 'username webauthn' : 'username'}
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
      />
      <PasswordField {...passwordField} />
      <div className={css.row}>
        <Checkbox
          name="remember"
          label={t('login.remember')}
          checked={remember}
          onChange={(event) => onRemember(event.currentTarget.checked)}
        />
        <AppLink to={paths.forgotPassword} className={css.link}>
          {t('login.forgot')}
        </AppLink>
      </div>
      {settings?.demo && (
        <p className={css.demo}>
          <span>{t('login.demo', { email: demoEmails[portal], password: DEMO_PASSWORD })}</span>
          <button
            type="button"
            onClick={() => {
              setEmail(demoEmails[portal]);
              setPassword(DEMO_PASSWORD);
            }}
          >
            {t('login.demo_fill')}
          </button>
        </p>
      )}
      <BusyButton
        type="submit"
        fullWidth
        className={css.submit}
        busy={busy || waiting}
        disabled={wait > 0}
        label={t('login.submit')}
        busyLabel={t('login.busy')}
      />
      {passkey.available && (
        <Button
          variant="default"
          fullWidth
          leftSection={<IconKey size={16} stroke={1.75} aria-hidden="true" />}
          disabled={busy || waiting || passkey.busy || wait > 0}
          onClick={() => {
            setProblem(undefined);
            void passkey.signIn();
          }}
        >
          {t('login.passkey')}
        </Button>
      )}
    </form>
  );
}
