import { useState } from 'react';
import { errorText } from '../../../api/errors';
import { BusyButton } from '../../../ui/BusyButton';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

interface Props {
  title: string;
  lead: string;
  label: string;
  busyLabel: string;
  /** Rejects with an error that the card shows. */
  act: () => Promise<void>;
}

/** Card that a link in an email leads to. Mail scanners open links, so only its button changes anything. */
export function EmailActionCard({ title, lead, label, busyLabel, act }: Props) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      setProblem(errorText(error));
    }
    setBusy(false);
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
        busyLabel={busyLabel}
        onClick={() => void run()}
      />
    </AuthCard>
  );
}
