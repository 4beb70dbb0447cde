import { useMe } from '../session/me';
import { dismissUpload, uploadsForTarget, useUploads, type Target } from './uploads';

/** The files that will hang on what somebody is writing: uploaded already, and named when it is sent. */
export function useAttachments(target: Target) {
  const { id: user } = useMe();
  const uploads = useUploads(target);
  const done = uploads.filter(({ status }) => status === 'done');
  return {
    ids: done.map(({ documentId }) => documentId).filter((id) => id !== undefined),
    /** Something has not arrived yet. */
    busy: uploads.some(({ status }) => status === 'sending' || status === 'waiting'),
    /** Forgets the ones that went; what was added meanwhile waits for the next. */
    clear: (sent: readonly string[]) => {
      for (const { id, documentId } of uploadsForTarget(target, user)) {
        if (documentId && sent.includes(documentId)) dismissUpload(id);
      }
    },
  };
}
