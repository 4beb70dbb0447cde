import { useTranslation } from 'react-i18next';
import type { Spv } from '../api/types';
import type { Choice } from '../ui/ChoiceSelect';

export type Country = Spv['country'];

/** The currency of new orders. */
export const currency = 'USD';

const countries: Country[] = ['US', 'AE', 'JP', 'SG', 'TH'];

/** Where a vehicle can be formed. */
export function useCountries(): Choice<Country>[] {
  const { t } = useTranslation('names');
  return countries.map((value) => ({ value, label: t(`country.${value}`) }));
}
