import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries';
import { currency, type Currency } from './countries';

/** Default currency of the office. */
export function useOfficeCurrency(): Currency {
  return useQuery(queries.settings()).data?.default_currency ?? currency;
}

/** Default currency of new orders of a company. */
export function useCompanyCurrency(id: string | null | undefined): Currency {
  const { data } = useQuery({ ...queries.company(id ?? ''), enabled: Boolean(id) });
  return data?.currency ?? currency;
}
