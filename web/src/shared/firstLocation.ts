import { createContext, useContext, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';

/** Whether the app still shows the location that the browser loaded. */
export const FirstLocationContext = createContext(true);

/** Value of [FirstLocationContext]. */
export function useIsFirstLocation(): boolean {
  const { key } = useLocation();
  const [firstKey] = useState(key);
  const [isFirst, setIsFirst] = useState(true);
  if (isFirst && key !== firstKey) setIsFirst(false);
  return isFirst && key === firstKey;
}

/** Whether the location was reached by back or forward, where the router restores the scroll position. */
export function useRestoresScroll(): boolean {
  const isFirst = useContext(FirstLocationContext);
  // The first location counts as POP, too.
  return useNavigationType() === 'POP' && !isFirst;
}
