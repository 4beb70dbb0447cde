import { api, body } from '../../api/client';
import type { CommissionQuery } from '../../api/lists';

/** The listed rows as CSV. */
export function commissionsCsv(query: CommissionQuery): Promise<Blob> {
  return body(api.GET('/rest/v1/commissions.csv', { params: { query }, parseAs: 'blob' }));
}

/** Transfers of a payout run in euros as SEPA credit transfers. */
export function sepaFile(id: string): Promise<Blob> {
  return body(api.GET('/rest/v1/payout-runs/{id}/sepa', { params: { path: { id } }, parseAs: 'blob' }));
}

/** Transfers of a payout run for the bank. */
export function bankCsv(id: string): Promise<Blob> {
  return body(api.GET('/rest/v1/payout-runs/{id}/csv', { params: { path: { id } }, parseAs: 'blob' }));
}
