import { useEffect, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { auth } from '../../../api/session';
import { PasswordField } from '../../../shared/auth/PasswordField';
import { MAX_PASSWORD_LENGTH, passwordError } from '../../../shared/auth/passwordError';
import { useMinPasswordLength } from '../../../shared/auth/passwordRules';
import { authErrorText } from '../../../shared/auth/authErrorText';
import { useCountdown } from '../../../shared/auth/useCountdown';
import { BusyButton } from '../../../ui/BusyButton';
import css from './AuthCard.module.css';

interface Props {
  /** The session was opened by password, so the server requires it again. */
  asksCurrent?: boolean;
  /** First password of the account. */
  isFirst?: boolean;
  onSaved: () => void;
  /** The session ended or is too old to set a password. */
  onExpired: (why: 'over' | 'late') => void;
}

/** Form field of an error. */
const CURRENT_PASSWORD_ERRORS = ['current_password_invalid', 'current_password_required'];
/** Reauthentication errors: another mail helps, because users who came by mail have nothing else at hand. */
const REAUTH_ERRORS = ['current_password_required', 'reauthentication_needed'];

export function NewPasswordForm({ asksCurrent = false, isFirst = false, onSaved, onExpired }: Props) {
  const { t } = useTranslation('public');
  const [email, setEmail] = useState('');
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ field: 'current' | 'password'; text: string }>();
  const [wait, setWait] = useCountdown();

  useEffect(() => {
    void auth.getSession().then(({ data }) => setEmail(data.session?.user.email ?? ''));
  }, []);

  const shortest = useMinPasswordLength();
  const fault = passwordError(password, shortest);
  const differs = again !== password;
  const lacksCurrent = asksCurrent && !current;
  const refusal = (field: 'current' | 'password') => problem?.field === field && problem.text;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    setProblem(undefined);
    if (fault || differs || lacksCurrent) return;
    setBusy(true);
    const { error } = await auth.updateUser({
      password,
      ...(asksCurrent && { current_password: current }),
    });
    setBusy(false);
    if (!error) {
      onSaved();
      return;
    }
    if (error.name === 'AuthSessionMissingError' || error.status === 403) {
      onExpired('over');
      return;
    }
    if (!asksCurrent && REAUTH_ERRORS.includes(error.code ?? '')) {
      onExpired('late');
      return;
    }
    const authError = authErrorText(error);
    setProblem({
      field: CURRENT_PASSWORD_ERRORS.includes(error.code ?? '') ? 'current' : 'password',
      text: authError.text,
    });
    setWait(authError.wait ?? 0);
  };

  const typed = (set: (text: string) => void) => (event: { currentTarget: { value: string } }) =>
    set(event.currentTarget.value);
  const common = { required: true, withAsterisk: false };
  return (
    <form className={css.form} noValidate onSubmit={(event) => void submit(event)}>
      {/* Username for password managers. */}
      <input
        className="sr-only"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      {asksCurrent && (
        <PasswordField
          {...common}
          name="current"
          label={t('first.current')}
          value={current}
          error={tried && lacksCurrent ? t('login.password_required') : refusal('current')}
          onChange={typed(setCurrent)}
          autoComplete="current-password"
        />
      )}
      <PasswordField
        {...common}
        name="password"
        label={t(isFirst ? 'reset.first_password' : 'reset.password')}
        description={t('reset.rule', { count: shortest })}
        value={password}
        error={
          tried && fault
            ? t(`reset.${fault}`, { count: fault === 'too_long' ? MAX_PASSWORD_LENGTH : shortest })
            : refusal('password')
        }
        onChange={typed(setPassword)}
        autoComplete="new-password"
      />
      <PasswordField
        {...common}
        name="again"
        label={t('reset.again')}
        value={again}
        error={tried && !fault && differs && t('reset.differs')}
        onChange={typed(setAgain)}
        autoComplete="new-password"
      />
      <BusyButton
        type="submit"
        fullWidth
        busy={busy}
        disabled={wait > 0}
        label={wait > 0 ? t('problem.wait', { count: wait }) : t('reset.save')}
        busyLabel={t('common:saving')}
      />
    </form>
  );
}
