import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { Service } from '../../api/types';
import { money } from '../../messages/format';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import type { Country, Currency } from '../countries';

interface Props {
  country: Country;
  /** Only services in this currency. */
  currency?: Currency;
  value: string;
  onChange: (id: string, service: Service | undefined) => void;
  error?: React.ReactNode;
}

/** Service of the price list of a country. Hidden where there is none. One that is not offered is taken back. */
export function ServiceSelect({ country, currency, value, onChange, error }: Props) {
  const { t } = useTranslation('common');
  const { data } = useQuery(queries.services());
  const offered = (data ?? []).filter(
    (service) =>
      service.active && service.country === country && (!currency || service.currency === currency),
  );
  // Another country was chosen, or the service is not offered any more: its amounts must not stay.
  const isGone = data !== undefined && value !== '' && !offered.some(({ id }) => id === value);
  useEffect(() => {
    if (isGone) onChange('', undefined);
  }, [isGone, onChange]);
  if (offered.length === 0) return null;
  const label = (service: Service) => {
    const price = money(service.price, service.currency);
    if (Number(service.filing_fee) === 0) return `${service.name} · ${price}`;
    const fee = money(service.filing_fee, service.currency);
    return t('service.with_fee', { name: service.name, price, fee });
  };
  return (
    <ChoiceSelect
      label={t('service.label')}
      description={t('service.text')}
      choices={[
        { value: '', label: t('service.none') },
        ...offered.map((service) => ({ value: service.id, label: label(service) })),
      ]}
      value={isGone ? '' : value}
      onChange={(id) =>
        onChange(
          id,
          offered.find((service) => service.id === id),
        )
      }
      error={error}
    />
  );
}
