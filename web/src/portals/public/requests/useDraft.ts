import { useEffect, useState } from 'react';

/** A form's values that outlive a reload of the tab. */
export function useDraft<Values extends Record<string, string>>(key: string, empty: Values) {
  const [draft, setDraft] = useState<Values>(() => {
    const kept = sessionStorage.getItem(key);
    return kept ? { ...empty, ...(JSON.parse(kept) as Partial<Values>) } : empty;
  });
  useEffect(() => {
    sessionStorage.setItem(key, JSON.stringify(draft));
  }, [key, draft]);
  // At once: the form may be gone before its effects run.
  const forget = () => {
    sessionStorage.removeItem(key);
    setDraft(empty);
  };
  return [draft, setDraft, forget] as const;
}
