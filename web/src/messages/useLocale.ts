/** Locale settings in components. Apart from them, because the entry of the build needs no React. */
import { useSyncExternalStore } from 'react';
import { getLocale, onLocaleChange, type Locale } from './locale';

/** Rerenders on change. */
export function useLocale(): Locale {
  return useSyncExternalStore(onLocaleChange, getLocale, getLocale);
}
