import { dismiss, useUploads, type Target } from './uploads';

/** The files that will hang on what somebody is writing: uploaded already, and named when it is sent. */
export function useAttached(target: Target) {
  const uploads = useUploads(target);
  const done = uploads.filter(({ status }) => status === 'done');
  return {
    ids: done.map(({ documentId }) => documentId).filter((id) => id !== undefined),
    /** Something has not arrived yet. */
    busy: uploads.some(({ status }) => status === 'sending' || status === 'waiting'),
    clear: () => {
      for (const { id } of done) dismiss(id);
    },
  };
}
