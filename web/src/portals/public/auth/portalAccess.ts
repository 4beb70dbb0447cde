/** Who may come in through which portal, and where it leads (specification, section 6). */
import type { Me, Role } from '../../../api/types';
import { paths, type Portal } from '../../../paths';

export type Refusal = Portal | 'no_company';

const admitted: Record<Portal, Role[]> = {
  client: ['client'],
  employee: ['employee', 'super_admin'],
  iso: ['iso'],
  company: ['company_admin', 'super_admin'],
};

const homes: Record<Portal, string> = {
  client: paths.clientDashboard,
  employee: paths.employeeDashboard,
  iso: paths.isoDashboard,
  company: paths.companyDashboard,
};

export function refusal(portal: Portal, me: Me): Refusal | undefined {
  if (!admitted[portal].includes(me.role)) return portal;
  if (portal === 'iso' && !me.iso) return portal;
  if (portal === 'company' && me.role !== 'super_admin' && !me.company) return 'no_company';
  return undefined;
}

const areas: [string, Role[]][] = [
  [paths.clientDashboard, ['client']],
  [paths.clientProfile, ['client']],
  [paths.employeeDashboard, ['employee', 'super_admin']],
  [paths.isoDashboard, ['iso']],
  [paths.companyDashboard, ['company_admin', 'super_admin']],
  [paths.adminDashboard, ['super_admin']],
];

/**
 * The page the person asked for before signing in, else the portal's own. A page of another portal is
 * forgotten: going there would only end the session again.
 */
export function destination(portal: Portal, me: Me, wanted: string | null): string {
  if (!wanted) return homes[portal];
  const area = areas.find(
    ([path]) => wanted === path || wanted.startsWith(`${path}/`) || wanted.startsWith(`${path}?`),
  );
  return !area || area[1].includes(me.role) ? wanted : homes[portal];
}
