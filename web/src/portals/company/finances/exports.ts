import { api, body } from '../../../api/client';
import type { ReportName } from '../../../api/types';
import type { Span } from '../../../shared/figures/dateRange';

interface Wanted extends Span {
  company_id: string;
}

/** The figures of the page in their smallest parts. */
export function financesCsv(query: Wanted): Promise<Blob> {
  return body(api.GET('/rest/v1/finances.csv', { params: { query }, parseAs: 'blob' }));
}

export function reportCsv(query: Wanted & { report: ReportName }): Promise<Blob> {
  return body(api.GET('/rest/v1/reports.csv', { params: { query }, parseAs: 'blob' }));
}

export function reportXlsx(query: Wanted & { report: ReportName }): Promise<Blob> {
  return body(api.GET('/rest/v1/reports.xlsx', { params: { query }, parseAs: 'blob' }));
}
