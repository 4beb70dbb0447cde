import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../api/queries';
import { LookupSelect } from '../ui/LookupSelect';
import { orderName } from './spvs/orderName';

interface Field {
  label: string;
  value?: string | null;
  onChange: (value: string | null) => void;
  initialLabel?: string;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
  all?: string;
}

/** Value of "No ISO partner", distinct from an empty field. */
export const NO_ISO = 'none';

function useSearchText() {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed, 200);
  return { search: { q: settled || undefined, limit: 20 }, setTyped, typing: typed !== settled };
}

export function CompanySelect(field: Field) {
  const { search, setTyped, typing } = useSearchText();
  const { data = [], isLoading, isPlaceholderData } = useInfiniteQuery(queries.companies(search));
  return (
    <LookupSelect
      {...field}
      onSearch={setTyped}
      stale={typing || isLoading || isPlaceholderData}
      choices={data.map((company) => ({ value: company.id, label: company.name }))}
    />
  );
}

interface InCompany extends Field {
  companyId: string | null;
}

export function IsoSelect({ companyId, ...field }: InCompany) {
  const { t } = useTranslation('common');
  const { search, setTyped, typing } = useSearchText();
  const query = queries.isos({ ...search, company_id: companyId ?? undefined });
  const enabled = companyId !== null;
  const { data = [], isLoading, isPlaceholderData } = useInfiniteQuery({ ...query, enabled });
  return (
    <LookupSelect
      {...field}
      disabled={!enabled}
      placeholder={enabled ? undefined : t('company_first')}
      onSearch={setTyped}
      stale={enabled && (typing || isLoading || isPlaceholderData)}
      choices={[
        { value: NO_ISO, label: t('no_iso') },
        ...data.map((iso) => ({ value: iso.id, label: `${iso.first_name} ${iso.last_name}` })),
      ]}
    />
  );
}

/** Value of "No order", distinct from an empty field. */
export const NO_ORDER = 'none';

/** Order of a client, or none. */
export function OrderSelect({ clientId, ...field }: Field & { clientId: string }) {
  const { t } = useTranslation('common');
  const { search, setTyped, typing } = useSearchText();
  const query = queries.spvs({ ...search, client_id: clientId });
  const { data = [], isLoading, isPlaceholderData } = useInfiniteQuery(query);
  return (
    <LookupSelect
      {...field}
      onSearch={setTyped}
      stale={typing || isLoading || isPlaceholderData}
      choices={[
        { value: NO_ORDER, label: t('no_order') },
        ...data.map((spv) => ({ value: spv.id, label: orderName(spv) })),
      ]}
    />
  );
}

export function ClientSelect({ companyId, ...field }: InCompany) {
  const { t } = useTranslation('common');
  const { search, setTyped, typing } = useSearchText();
  const query = queries.clients({ ...search, company_id: companyId ?? undefined });
  const enabled = companyId !== null;
  const { data = [], isLoading, isPlaceholderData } = useInfiniteQuery({ ...query, enabled });
  return (
    <LookupSelect
      {...field}
      disabled={!enabled || field.disabled}
      placeholder={enabled ? undefined : t('company_first')}
      onSearch={setTyped}
      stale={enabled && (typing || isLoading || isPlaceholderData)}
      choices={data.map((client) => ({
        value: client.id,
        label: `${client.first_name} ${client.last_name} (${client.email})`,
      }))}
    />
  );
}
