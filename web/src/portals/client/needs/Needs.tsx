import { IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';
import { Section } from '../../../ui/Section';
import { NeedRow } from './NeedRow';
import type { Need } from './clientNeeds';
import type { useNeeds } from './useNeeds';
import classes from './Needs.module.css';

/** What the office waits for: each with the button that does it. */
export function Needs({ of }: { of: ReturnType<typeof useNeeds> }) {
  const { t } = useTranslation(['client', 'orders']);
  const { needs, error, retry } = of;
  // Sent documents keep their rows until the page is left.
  const [sent, setSent] = useState<Need[]>([]);
  const isSent = ({ id }: Need) => sent.some((one) => one.id === id);
  const gone = sent.filter(({ id }) => !needs?.some((need) => need.id === id));
  const shown = needs && [...gone, ...needs];
  return (
    <Section title={t('needs.title')} flush>
      <div aria-live="polite">
        {error && !needs && <ErrorState message={errorText(error)} onRetry={retry} />}
        {shown?.length === 0 && (
          <EmptyState
            icon={<IconCircleCheck size={20} />}
            title={t('orders:all_done')}
            text={t('orders:all_done_text')}
          />
        )}
        {shown && shown.length > 0 && (
          <ul className={classes.list} aria-label={t('needs.title')}>
            {shown.map((need) => (
              <li key={need.id}>
                <NeedRow
                  need={need}
                  sent={isSent(need)}
                  onSent={() => setSent((before) => [...before.filter(({ id }) => id !== need.id), need])}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}
