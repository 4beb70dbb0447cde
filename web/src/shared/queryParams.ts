import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router-dom';

/** One value of the query string; an empty one is left out of the address. */
export function useParam(name: string): [string, (value: string) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        // At once: what stands in the address is what is shown, and what is taken away as a file.
        { replace: true, preventScrollReset: true, flushSync: true },
      ),
    [name, setParams],
  );
  return [params.get(name) ?? '', set];
}

/** A switch kept in the query string. It shows its new state at once, before the address has followed. */
export function useFlag(name: string): [boolean, (on: boolean) => void] {
  const [param, setParam] = useParam(name);
  const there = param === 'true';
  const [on, setOn] = useState(there);
  const [known, setKnown] = useState(there);
  // Whatever changed the address, the switch follows it.
  if (there !== known) {
    setKnown(there);
    setOn(there);
  }
  const set = (next: boolean) => {
    setOn(next);
    setParam(next ? 'true' : '');
  };
  return [on, set];
}
