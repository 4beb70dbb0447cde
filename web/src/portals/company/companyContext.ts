import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { queries } from '../../api/queries';
import type { Company, Me } from '../../api/types';
import { useParam } from '../../shared/queryParams';

export const CompanyContext = createContext<Company | null>(null);

/** The company whose portal it is, on every page below `OneCompany`. Its id goes with each call as `company_id`. */
export function useCompany(): Company {
  const company = useContext(CompanyContext);
  if (!company) throw new Error('useCompany is for pages of one company');
  return company;
}

const param = 'company';

/** Which company: a company admin's own, the one that a super admin picked in the address. */
export function useCompanyId(me: Me): string | undefined {
  const [picked] = useParam(param);
  return me.role === 'super_admin' ? picked || undefined : me.company?.id;
}

export function useCompanyQuery(id: string | undefined) {
  return useQuery({ ...queries.company(id ?? ''), enabled: id !== undefined });
}

/** An address of this portal with the picked company in it. */
export function useKeepCompany(): (path: string) => string {
  const [picked] = useParam(param);
  return (path) =>
    picked ? `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [param]: picked })}` : path;
}

export function usePickCompany(): (id: string) => void {
  return useParam(param)[1];
}
