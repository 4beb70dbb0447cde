import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { auth } from '../../../api/session';
import { authErrorText } from '../../../shared/auth/authErrorText';
import { BusyButton } from '../../../ui/BusyButton';
import { followMailLink, type MailLink, type LinkOutcome } from './mailLink';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

interface Props {
  link: MailLink;
  title: string;
  lead: string;
  label: string;
  /** The second address of an email change is still unconfirmed. */
  onVerified: (hasSession: boolean) => void;
  onExpired: () => void;
}

/** Asks for a click before consuming the link, because mail scanners open links. */
export function OpenLink({ link, title, lead, label, onVerified, onExpired }: Props) {
  const { t } = useTranslation('public');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const open = async () => {
    setBusy(true);
    setProblem(undefined);
    const outcome = link.redirects ? await followMailLink(link) : await verify(link);
    if (outcome.url !== undefined) {
      location.assign(outcome.url);
      return;
    }
    setBusy(false);
    if (outcome.status === 403) {
      onExpired();
      return;
    }
    if (outcome.status !== undefined) {
      setProblem(outcome.text);
      return;
    }
    // Consumed, so it is removed from the history, and a reload uses the session.
    history.replaceState(history.state, '', location.pathname);
    onVerified(outcome.hasSession);
  };

  return (
    <AuthCard title={title} lead={lead}>
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
      <BusyButton
        className={css.only}
        busy={busy}
        label={label}
        busyLabel={t('code.busy')}
        onClick={() => void open()}
      />
    </AuthCard>
  );
}

async function verify(link: MailLink): Promise<LinkOutcome> {
  const { data, error } = await auth.verifyOtp({ type: link.type, token_hash: link.tokenHash ?? '' });
  if (error) return { status: error.status ?? 0, text: authErrorText(error).text };
  return { hasSession: data.session !== null };
}
