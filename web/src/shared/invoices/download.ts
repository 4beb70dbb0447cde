import { api, body } from '../../api/client';
import { saveBlob } from '../../ui/saveText';

/** The invoice on paper, as a file. */
export async function downloadInvoice(id: string, name: string): Promise<void> {
  const call = api.GET('/rest/v1/invoices/{id}/pdf', { params: { path: { id } }, parseAs: 'blob' });
  saveBlob(name, (await body(call)) as unknown as Blob);
}
