import { api, body } from '../../api/client';

interface CommissionsQuery {
  iso_id?: string;
  status?: 'pending' | 'approved' | 'paid' | 'void';
  from?: string;
  to?: string;
}

/** The listed rows as CSV. */
export function commissionsCsv(query: CommissionsQuery): Promise<Blob> {
  return body(api.GET('/rest/v1/commissions.csv', { params: { query }, parseAs: 'blob' }));
}

/** Transfers of a payout run for the bank. */
export function bankCsv(id: string): Promise<Blob> {
  return body(api.GET('/rest/v1/payout-runs/{id}/csv', { params: { path: { id } }, parseAs: 'blob' }));
}
