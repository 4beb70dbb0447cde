import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { queries } from '../../api/queries';
import { successOf } from '../../paths';
import { useMe } from '../session/me';
import { dismiss, uploadsTo, type Target } from './uploads';

/**
 * Tells a client on the success page that what they sent in has arrived (decision 33), once the last file on its way
 * to this place has, and then leads back here. Whoever has gone to another page meanwhile stays there.
 */
export function useTellOfUploads(target: Target) {
  const { id: user, role } = useMe();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => void (here.current = false);
  }, []);
  return (documentId: string, milliseconds: number) => {
    // What hangs on something is told of with it.
    if (role !== 'client' || target.attach || !here.current) return;
    const all = uploadsTo(target, user);
    if (all.some(({ status }) => status !== 'done' && status !== 'cut_off')) return;
    const sent = all.filter(({ status }) => status === 'done');
    void (async () => {
      const { reference } = await queryClient.fetchQuery(queries.document(documentId));
      for (const { id } of sent) dismiss(id);
      const others = sent.length > 1 ? ` +${sent.length - 1}` : '';
      const redirect = `${pathname}${search}${hash}`;
      void navigate(successOf({ redirect, reference: reference + others, milliseconds }));
    })();
  };
}
