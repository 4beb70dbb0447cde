import { useTranslation } from 'react-i18next';
import type { Step } from '../../../api/types';

export type WaitingOn = NonNullable<Step['waiting_on']>;
const parties: WaitingOn[] = ['staff', 'client', 'iso', 'authority', 'other'];

/** Choices of whom a blocked step waits for. */
export function useWaitingParties(): { value: WaitingOn; label: string }[] {
  const { t } = useTranslation('names');
  return parties.map((value) => ({ value, label: capitalize(t(`waiting_on.${value}`)) }));
}

/** The label is worded for the middle of a sentence. */
function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
