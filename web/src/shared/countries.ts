import { useTranslation } from 'react-i18next';
import type { Spv } from '../api/types';
import type { Choice } from '../ui/ChoiceSelect';

export type Country = Spv['country'];

export type Currency = Spv['currency'];

/** Default currency of new orders. */
export const currency: Currency = 'USD';

const known: Currency[] = ['USD', 'EUR', 'GBP', 'AED', 'JPY', 'SGD', 'THB'];

export const currencies: Choice<Currency>[] = known.map((value) => ({ value, label: value }));

const countries: Country[] = ['US', 'AE', 'JP', 'SG', 'TH'];

/** Countries in which a vehicle can be formed. */
export function useCountries(): Choice<Country>[] {
  const { t } = useTranslation('names');
  return countries.map((value) => ({ value, label: t(`country.${value}`) }));
}
