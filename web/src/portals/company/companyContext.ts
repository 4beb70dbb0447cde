import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { queries } from '../../api/queries';
import type { Company, Me } from '../../api/types';
import { useParam } from '../../shared/queryParams';

export const CompanyContext = createContext<Company | null>(null);

/** Current company of all pages below `CompanyScope`. Its id is sent as `company_id`. */
export function useCompany(): Company {
  const company = useContext(CompanyContext);
  if (!company) throw new Error('useCompany is for pages of one company');
  return company;
}

const COMPANY_PARAM = 'company';

/** Company id: of the company admin, or selected in the URL by a super admin. */
export function useCompanyId(me: Me): string | undefined {
  const [picked] = useParam(COMPANY_PARAM);
  return me.role === 'super_admin' ? picked || undefined : me.company?.id;
}

export function useCompanyQuery(id: string | undefined) {
  return useQuery({ ...queries.company(id ?? ''), enabled: id !== undefined });
}

/** A path of this portal that keeps the selected company. */
export function useCompanyPath(): (path: string) => string {
  const [picked] = useParam(COMPANY_PARAM);
  return (path) =>
    picked
      ? `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [COMPANY_PARAM]: picked })}`
      : path;
}

export function useSelectCompany(): (id: string) => void {
  return useParam(COMPANY_PARAM)[1];
}
