import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router-dom';

/** One query parameter; an empty value is removed from the URL. */
export function useParam(name: string): [string, (value: string) => void] {
  const [params] = useSearchParams();
  const setParams = useSetParams();
  const set = useCallback((value: string) => setParams({ [name]: value }), [name, setParams]);
  return [params.get(name) ?? '', set];
}

/** Sets several query parameters at once; empty values are removed from the URL. */
export function useSetParams(): (values: Record<string, string>) => void {
  const [, setParams] = useSearchParams();
  return useCallback(
    (values) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(values)) {
            if (value) next.set(name, value);
            else next.delete(name);
          }
          return next;
        },
        // Synchronous, so the list and exports match the URL.
        { replace: true, preventScrollReset: true, flushSync: true },
      ),
    [setParams],
  );
}

/** Boolean query parameter with optimistic state. */
export function useFlag(name: string): [boolean, (on: boolean) => void] {
  const [param, setParam] = useParam(name);
  const paramValue = param === 'true';
  const [on, setOn] = useState(paramValue);
  const [known, setKnown] = useState(paramValue);
  // Follows external URL changes.
  if (paramValue !== known) {
    setKnown(paramValue);
    setOn(paramValue);
  }
  const set = (next: boolean) => {
    setOn(next);
    setParam(next ? 'true' : '');
  };
  return [on, set];
}
