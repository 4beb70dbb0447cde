import { api, body } from '../../api/client';
import { saveBlob } from '../../ui/saveText';

/** Invoice PDF download. */
export async function downloadInvoice(id: string, name: string): Promise<void> {
  const params = { path: { id } };
  saveBlob(name, await body(api.GET('/rest/v1/invoices/{id}/pdf', { params, parseAs: 'blob' })));
}

/** Credit note PDF download. */
export async function downloadCreditNote(id: string, name: string): Promise<void> {
  const params = { path: { id } };
  saveBlob(name, await body(api.GET('/rest/v1/credit-notes/{id}/pdf', { params, parseAs: 'blob' })));
}
