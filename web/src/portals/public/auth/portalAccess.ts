/** Portal access: admitted roles and landing page after sign-in (specification, section 6). */
import type { Me, Role } from '../../../api/types';
import { paths, type Portal } from '../../../paths';

export type DenialReason = Portal | 'no_company';

const PORTAL_ROLES: Record<Portal, Role[]> = {
  client: ['client'],
  employee: ['employee', 'super_admin'],
  iso: ['iso'],
  company: ['company_admin', 'super_admin'],
};

const PORTAL_HOMES: Record<Portal, string> = {
  client: paths.clientDashboard,
  employee: paths.employeeDashboard,
  iso: paths.isoDashboard,
  company: paths.companyDashboard,
};

export function denialReason(portal: Portal, me: Me): DenialReason | undefined {
  if (!PORTAL_ROLES[portal].includes(me.role)) return portal;
  if (portal === 'iso' && !me.iso) return portal;
  if (portal === 'company' && me.role !== 'super_admin' && !me.company) return 'no_company';
  return undefined;
}

const PATH_ROLES: [string, Role[]][] = [
  [paths.clientDashboard, ['client']],
  [paths.clientProfile, ['client']],
  [paths.employeeDashboard, ['employee', 'super_admin']],
  [paths.isoDashboard, ['iso']],
  [paths.companyDashboard, ['company_admin', 'super_admin']],
  [paths.adminDashboard, ['super_admin']],
];

/**
 * Path after sign-in: the return path, or the home of the portal. A page of another portal is ignored, because it would
 * end the session.
 */
export function postSignInPath(portal: Portal, me: Me, returnPath: string | null): string {
  if (!returnPath) return PORTAL_HOMES[portal];
  const area = PATH_ROLES.find(
    ([path]) => returnPath === path || returnPath.startsWith(`${path}/`) || returnPath.startsWith(`${path}?`),
  );
  return !area || area[1].includes(me.role) ? returnPath : PORTAL_HOMES[portal];
}
