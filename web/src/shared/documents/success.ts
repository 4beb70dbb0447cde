import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, type NavigateFunction } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { queries } from '../../api/queries';
import { successOf } from '../../paths';
import { useMe } from '../session/me';
import { dismiss, isOnTheWay, uploadsTo, useUploads, type Kept, type Running, type Target } from './uploads';

/**
 * Tells a client on the success page that what they sent in has arrived (decision 33), once the last file on its way
 * to this place has, and then leads back here. Where one of them was refused they stay, and read which and why. Whoever
 * has gone to another page meanwhile stays there.
 */
export function useTellOfUploads(target: Target): Kept {
  const { id: user, role } = useMe();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  const back = `${pathname}${search}${hash}`;
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => void (here.current = false);
  }, []);
  // A refused file may be the last one, and says nothing of those before it.
  const last = useRef<Parameters<Kept>>(null);
  const busy = useUploads(target).some(isOnTheWay);
  useEffect(() => {
    if (!last.current || busy) return;
    const kept = last.current;
    last.current = null;
    void succeed(navigate, uploadsTo(target, user), back, ...kept);
  }, [busy, navigate, target, user, back]);
  return (...kept) => {
    // What hangs on something is told of with it.
    if (role !== 'client' || target.attach || !here.current) return;
    const all = uploadsTo(target, user);
    // Where one file is all there is, its place may close at once.
    const others = all.some(isOnTheWay);
    last.current = others ? kept : null;
    if (!others) void succeed(navigate, all, back, ...kept);
  };
}

async function succeed(
  navigate: NavigateFunction,
  uploads: Running[],
  redirect: string,
  ...[documentId, milliseconds]: Parameters<Kept>
): Promise<void> {
  const since = uploads.find((upload) => upload.documentId === documentId)?.since ?? 0;
  // Those chosen earlier, when nothing else was on its way, were refused for all to see.
  if (uploads.some((upload) => upload.status === 'failed' && upload.since >= since)) return;
  const sent = uploads.filter(({ status }) => status === 'done');
  const { reference } = await queryClient.fetchQuery(queries.document(documentId));
  for (const { id } of sent) dismiss(id);
  const others = sent.length > 1 ? ` +${sent.length - 1}` : '';
  void navigate(successOf({ redirect, reference: reference + others, milliseconds }));
}
