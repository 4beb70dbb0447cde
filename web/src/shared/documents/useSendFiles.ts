import { useMe } from '../session/me';
import { sendFiles, type OnUploaded, type RunningUpload, type Target } from './uploads';
import { useUploadToasts } from './useUploadToasts';

/** Sends files to a target, with a toast once they have arrived. */
export function useSendFiles(
  target: Target,
  { onUploaded, onRetry }: { onUploaded?: OnUploaded; onRetry?: (upload: RunningUpload) => void } = {},
): (files: readonly File[]) => void {
  const { id: user } = useMe();
  const showToast = useUploadToasts(target);
  const handleUploaded: OnUploaded = (documentId) => {
    showToast(documentId);
    onUploaded?.(documentId);
  };
  return (files) => void sendFiles(files, target, user, handleUploaded, onRetry !== undefined);
}
