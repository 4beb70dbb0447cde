import { useState, type FormEvent } from 'react';
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../../../ui/BusyButton';
import type { Problem } from '../../../shared/auth/authErrorText';
import { requestRecoveryMail } from './mailLink';
import { useCountdown } from '../../../shared/auth/useCountdown';
import css from './AuthCard.module.css';

interface Props {
  send?: (email: string) => Promise<Problem | undefined>;
  onSent: (email: string) => void;
}

/** Requests another link. The response is the same for unknown addresses. */
export function RecoverForm({ send = requestRecoveryMail, onSent }: Props) {
  const { t } = useTranslation('public');
  const [email, setEmail] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [wait, setWait] = useCountdown();
  const notice = wait > 0 ? t('recover.wait', { count: wait }) : problem;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!email.trim()) return;
    setBusy(true);
    const authError = await send(email.trim());
    setBusy(false);
    if (!authError) onSent(email.trim());
    setProblem(authError?.wait ? undefined : authError?.text);
    setWait(authError?.wait ?? 0);
  };

  return (
    <form className={css.form} noValidate onSubmit={(event) => void submit(event)}>
      {notice && (
        <p className={css.problem} role="alert">
          {notice}
        </p>
      )}
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
      <BusyButton
        type="submit"
        fullWidth
        busy={busy}
        disabled={wait > 0}
        label={t('recover.send')}
        busyLabel={t('recover.sending')}
      />
    </form>
  );
}
