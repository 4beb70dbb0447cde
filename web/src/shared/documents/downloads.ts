import { api, body } from '../../api/client';
import { errorText } from '../../api/errors';
import { toast } from '../../ui/toasts';

/** A link to a version's content. It opens for a moment, so it is asked for when it is needed. */
export async function downloadUrl(versionId: string, disposition: 'inline' | 'attachment'): Promise<string> {
  const params = { path: { id: versionId } };
  const link = await body(api.POST('/storage/v1/versions/{id}/link', { params, body: { disposition } }));
  return link.url;
}

/** Saves a version's file. */
export async function download(versionId: string, failed: string): Promise<void> {
  try {
    const anchor = document.createElement('a');
    anchor.href = await downloadUrl(versionId, 'attachment');
    // A download leaves no page: nobody is asked whether to.
    anchor.download = '';
    anchor.click();
  } catch (error) {
    toast({ title: failed, description: errorText(error), destructive: true });
  }
}
