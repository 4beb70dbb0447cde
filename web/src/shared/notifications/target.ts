import type { Activity, Role } from '../../api/types';
import { homeOf, paths } from '../../paths';

/** Where somebody sees more of what happened. */
export function targetOf(role: Role, { subject, spv_id }: Activity): string {
  const id = subject.id ?? '';
  if (role === 'client') {
    if (subject.kind === 'thread') return paths.clientThread(id);
    if (subject.kind === 'invoice') return paths.clientBilling;
    return spv_id ? paths.clientOrder(spv_id) : paths.clientOrders;
  }
  if (role === 'employee' || role === 'super_admin') {
    if (subject.kind === 'thread') return paths.employeeThread(id);
    if (subject.kind === 'request') return paths.employeeRequests;
    if (subject.kind === 'invoice') return paths.employeeInvoices;
    if (subject.kind === 'lead') return paths.employeeLeads;
    if (subject.kind === 'call') return paths.employeeCalls;
    return spv_id ? paths.employeeOrder(spv_id) : paths.employeeDashboard;
  }
  if (role === 'iso') {
    if (subject.kind === 'commission' || subject.kind === 'payout') return paths.isoCommissions;
    if (subject.kind === 'lead') return paths.isoLeads;
    if (subject.kind === 'call') return paths.isoCalls;
  }
  return homeOf(role);
}
