import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { auth } from '../../../api/session';
import { paths } from '../../../paths';
import { BusyButton } from '../../../ui/BusyButton';
import { authProblem } from '../../../shared/auth/problem';
import { Task } from './Task';
import css from './Task.module.css';

interface Props {
  tokenHash: string;
  onVerified: () => void;
  onExpired: () => void;
}

/** Asks for a click before the link is used up: mail scanners open links, people press buttons. */
export function OpenLink({ tokenHash, onVerified, onExpired }: Props) {
  const { t } = useTranslation('public');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const open = async () => {
    setBusy(true);
    setProblem(undefined);
    const { error } = await auth.verifyOtp({ type: 'recovery', token_hash: tokenHash });
    setBusy(false);
    if (error?.status === 403) {
      onExpired();
      return;
    }
    if (error) {
      setProblem(authProblem(error).text);
      return;
    }
    // Used up: it has no place in the history, and a reload should find the session instead.
    history.replaceState(history.state, '', paths.resetPassword);
    onVerified();
  };

  return (
    <Task title={t('reset.title')} lead={t('reset.lead')}>
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
      <BusyButton
        busy={busy}
        label={t('reset.continue')}
        busyLabel={t('code.busy')}
        onClick={() => void open()}
      />
    </Task>
  );
}
