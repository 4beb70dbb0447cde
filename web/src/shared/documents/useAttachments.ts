import { useMe } from '../session/me';
import { dismissUpload, uploadsForTarget, useUploads, type Target } from './uploads';

/** Attachments of an unsent message or form: uploaded already, referenced by id when sent. */
export function useAttachments(target: Target) {
  const { id: user } = useMe();
  const uploads = useUploads(target);
  const done = uploads.filter(({ status }) => status === 'done');
  return {
    ids: done.map(({ documentId }) => documentId).filter((id) => id !== undefined),
    /** An upload is in progress. */
    busy: uploads.some(({ status }) => status === 'sending' || status === 'waiting'),
    /** Removes sent attachments; later ones stay for the next message. */
    clear: (sent: readonly string[]) => {
      for (const { id, documentId } of uploadsForTarget(target, user)) {
        if (documentId && sent.includes(documentId)) dismissUpload(id);
      }
    },
  };
}
