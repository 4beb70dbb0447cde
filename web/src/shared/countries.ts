import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../api/queries';
import type { Spv } from '../api/types';
import type { Choice } from '../ui/ChoiceSelect';

export type Country = Spv['country'];

export type Currency = Spv['currency'];

/** Default currency of new orders. */
export const currency: Currency = 'USD';

/** The currencies that the office offers, and the present one where it is none of them. */
export function useCurrencies(present?: Currency | null): Choice<Currency>[] {
  const { data } = useQuery(queries.settings());
  const offered = data?.currencies ?? [currency];
  const all = present && !offered.includes(present) ? [...offered, present] : offered;
  return all.map((value) => ({ value, label: value }));
}

const countries: Country[] = ['US', 'AE', 'JP', 'SG', 'TH'];

/** Countries in which a vehicle can be formed. */
export function useCountries(): Choice<Country>[] {
  const { t } = useTranslation('names');
  return countries.map((value) => ({ value, label: t(`country.${value}`) }));
}
