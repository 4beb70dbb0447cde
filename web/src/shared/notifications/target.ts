import type { Activity, Role } from '../../api/types';
import { homePath, paths, requestsPath } from '../../paths';

/** Link target of a notification. */
export function notificationPath(role: Role, activity: Activity): string {
  return subjectPath(role, activity) ?? (role === 'client' ? paths.clientOrders : homePath(role));
}

/** Page of the subject in the portal of the role, if any. */
export function subjectPath(role: Role, { subject, spv_id }: Activity): string | null {
  const id = subject.id ?? '';
  if (role === 'client') {
    if (subject.kind === 'thread') return paths.clientThread(id);
    if (subject.kind === 'invoice') return paths.clientBilling;
    if (subject.kind === 'document') return paths.clientDocument(id);
    if (spv_id) return paths.clientOrder(spv_id);
    return subject.kind === 'request' ? paths.clientRequests : null;
  }
  if (role === 'employee' || role === 'super_admin') {
    if (subject.kind === 'thread') return paths.employeeThread(id);
    if (subject.kind === 'request') return paths.request(id);
    if (subject.kind === 'invoice') return paths.employeeInvoice(id);
    if (subject.kind === 'document') return paths.employeeDocument(id);
    if (subject.kind === 'lead') return paths.employeeLeads;
    if (subject.kind === 'call') return paths.employeeCalls;
    if (subject.kind === 'commission') return paths.employeeCommissions;
    if (subject.kind === 'payout_run') return paths.employeePayout(id);
    if (subject.kind === 'payout') return paths.employeePayouts;
    if (spv_id && subject.kind === 'document_request') return paths.employeeOrderTab(spv_id, 'documents');
    if (spv_id) return paths.employeeOrder(spv_id);
    if (subject.kind === 'client') return paths.employeeClient(id);
    if (subject.kind === 'company') return paths.employeeCompany(id);
    if (subject.kind === 'iso') return paths.employeeIso(id);
    return null;
  }
  if (role === 'iso') {
    if (subject.kind === 'commission' || subject.kind === 'payout') return paths.isoCommissions;
    if (subject.kind === 'lead') return paths.isoLeads;
    if (subject.kind === 'call') return paths.isoCalls;
    if (spv_id) return paths.isoOrder(spv_id);
  }
  if (role === 'company_admin' && spv_id) return paths.companySpv(spv_id);
  if (subject.kind === 'request') return requestsPath(role);
  return null;
}
