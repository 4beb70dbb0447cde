import { createContext, useContext } from 'react';
import type { Me } from '../../api/types';

export const MeContext = createContext<Me | null>(null);

/** The signed-in person, inside a portal. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe is for pages inside a portal');
  return me;
}
