import { api, body } from '../../api/client';
import { errorText } from '../../api/errors';
import { toast } from '../../ui/toasts';

/** Short-lived signed URL of a version, fetched on demand. */
export async function downloadUrl(versionId: string, disposition: 'inline' | 'attachment'): Promise<string> {
  const params = { path: { id: versionId } };
  const link = await body(api.POST('/storage/v1/versions/{id}/link', { params, body: { disposition } }));
  return link.url;
}

/** Downloads a version. */
export async function download(versionId: string, failed: string): Promise<void> {
  try {
    const anchor = document.createElement('a');
    anchor.href = await downloadUrl(versionId, 'attachment');
    // The link downloads, so the unsaved-changes guard does not ask.
    anchor.download = '';
    anchor.click();
  } catch (error) {
    toast({ title: failed, description: errorText(error), destructive: true });
  }
}
