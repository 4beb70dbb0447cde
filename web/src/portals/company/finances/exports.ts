import { api, body } from '../../../api/client';
import type { ReportName } from '../../../api/types';
import type { DateRange } from '../../../shared/figures/dateRange';

interface ReportQuery extends DateRange {
  company_id: string;
}

/** CSV and xlsx exports of finances and reports. */
export function financesCsv(query: ReportQuery): Promise<Blob> {
  return body(api.GET('/rest/v1/finances.csv', { params: { query }, parseAs: 'blob' }));
}

export function reportCsv(query: ReportQuery & { report: ReportName }): Promise<Blob> {
  return body(api.GET('/rest/v1/reports.csv', { params: { query }, parseAs: 'blob' }));
}

export function reportXlsx(query: ReportQuery & { report: ReportName }): Promise<Blob> {
  return body(api.GET('/rest/v1/reports.xlsx', { params: { query }, parseAs: 'blob' }));
}
