import { useEffect, useState } from 'react';
import { tabStore } from '../../../api/browserStorage';

/** Form draft kept in the tab across reloads. */
export function useDraft<Values extends Record<string, string>>(key: string, empty: Values) {
  const [draft, setDraft] = useState<Values>(() => {
    try {
      return { ...empty, ...(JSON.parse(tabStore.getItem(key) ?? '{}') as Partial<Values>) };
    } catch {
      return empty;
    }
  });
  useEffect(() => {
    tabStore.setItem(key, JSON.stringify(draft));
  }, [key, draft]);
  // Synchronous: the form may unmount before effects run.
  const forget = () => {
    tabStore.removeItem(key);
    setDraft(empty);
  };
  return [draft, setDraft, forget] as const;
}
