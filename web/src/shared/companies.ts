import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries';
import { currency, type Currency } from './countries';

/** Default currency of new orders of a company. */
export function useCompanyCurrency(id: string | null | undefined): Currency {
  const { data } = useQuery({ ...queries.company(id ?? ''), enabled: Boolean(id) });
  return data?.currency ?? currency;
}
