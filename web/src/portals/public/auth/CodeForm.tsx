import { useState, type FormEvent } from 'react';
import { CodeInput, isWholeCode } from '../../../ui/CodeInput';
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { EmailOtpType } from '@supabase/auth-js';
import { auth } from '../../../api/session';
import { BusyButton } from '../../../ui/BusyButton';
import { authErrorText } from '../../../shared/auth/authErrorText';
import { useCountdown } from '../../../shared/auth/useCountdown';
import css from './AuthCard.module.css';

interface Props {
  /** Preset if the mail was requested on this page. */
  email?: string;
  /** Purpose of the mail. */
  type?: EmailOtpType;
  onVerified: (hasSession: boolean) => void;
}

/** Six-digit code entry, for mails opened on another device. */
export function CodeForm({ email: known, type = 'recovery', onVerified }: Props) {
  const { t } = useTranslation('public');
  const [email, setEmail] = useState(known ?? '');
  const [code, setCode] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [wait, setWait] = useCountdown();
  const notice = wait > 0 ? t('problem.wait', { count: wait }) : problem;
  const whole = isWholeCode(code);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!email.trim() || !whole) return;
    setBusy(true);
    const { data, error } = await auth.verifyOtp({ type, email: email.trim(), token: code });
    setBusy(false);
    if (!error) {
      onVerified(data.session !== null);
      return;
    }
    const authError = authErrorText(error);
    setProblem(error.code === 'otp_expired' ? t('code.wrong') : authError.wait ? undefined : authError.text);
    setWait(authError.wait ?? 0);
  };

  return (
    <form className={css.form} noValidate onSubmit={(event) => void submit(event)}>
      {notice && (
        <p className={css.problem} role="alert">
          {notice}
        </p>
      )}
      {known === undefined && (
        <TextInput
          name="email"
          type="email"
          label={t('login.email')}
          value={email}
          error={tried && !email.trim() && t('login.email_required')}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
        />
      )}
      <CodeInput
        name="code"
        label={t('code.label')}
        value={code}
        error={tried && !whole && t('code.six')}
        onChange={setCode}
        required
        withAsterisk={false}
      />
      <BusyButton
        type="submit"
        fullWidth
        busy={busy}
        disabled={wait > 0}
        label={t('code.submit')}
        busyLabel={t('code.busy')}
      />
    </form>
  );
}
