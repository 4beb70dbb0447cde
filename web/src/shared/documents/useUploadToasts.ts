import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { queries } from '../../api/queries';
import { toast } from '../../ui/toasts';
import { useMe } from '../session/me';
import {
  dismissUpload,
  isUploading,
  uploadsForTarget,
  useUploads,
  type OnUploaded,
  type Target,
} from './uploads';

const MAX_NAMED_FILES = 3;

/** Toasts for finished uploads, once the last upload of a target is done. Rejected files keep their row. */
export function useUploadToasts(target: Target): OnUploaded {
  const { t } = useTranslation('documents');
  const { id: user } = useMe();
  const arrived = useRef<{ id: string; name: string }[]>([]);
  const showToast = () => {
    const files = arrived.current;
    arrived.current = [];
    if (files.length > 0) void announce(files);
  };
  const announce = async ([first, ...others]: { id: string; name: string }[]) => {
    if (!first) return;
    const title = t('upload.arrived', { count: others.length + 1 });
    if (others.length === 0) {
      // Falls back to the local file name.
      const question = { ...queries.document(first.id), staleTime: 0 };
      const document = await queryClient.fetchQuery(question).catch(() => null);
      const words = document ? [document.latest.file_name, document.reference] : [first.name];
      toast({ title, description: words.join(' · ') });
      return;
    }
    const names = [first, ...others].slice(0, MAX_NAMED_FILES).map(({ name }) => name);
    const rest = others.length + 1 - names.length;
    toast({ title, description: names.join(', ') + (rest > 0 ? ` +${rest}` : '') });
  };
  const busy = useUploads(target).some(isUploading);
  // The last upload may be the rejected one; the toast covers the earlier ones.
  useEffect(() => {
    if (!busy) showToast();
  });
  // Finished uploads are removed, because the document list has them.
  const key = JSON.stringify(target);
  useEffect(() => {
    const left = JSON.parse(key) as Target;
    return () => {
      if (left.attach) return;
      for (const { id, status } of uploadsForTarget(left, user)) if (status === 'done') dismissUpload(id);
    };
  }, [key, user]);
  return (documentId) => {
    // Attachments are announced with their message.
    if (target.attach) return;
    const all = uploadsForTarget(target, user);
    const name = all.find((upload) => upload.documentId === documentId)?.name ?? '';
    arrived.current.push({ id: documentId, name });
    // The page may be closed, so the toast is the only feedback.
    if (!all.some(isUploading)) showToast();
  };
}
