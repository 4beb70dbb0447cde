import { createContext, useContext } from 'react';
import type { Me } from '../../api/types';

export const MeContext = createContext<Me | null>(null);

/** The current user inside a portal. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe is for pages inside a portal');
  return me;
}
