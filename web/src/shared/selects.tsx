import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
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

/**
 * Id of a value whose name has to be loaded by id: it is not among the choices, such as a value of a restored draft.
 * Values with `initialLabel` have a name already.
 */
function idToLoad({ value, initialLabel }: Field, choices: { id: string }[] | undefined): string | undefined {
  if (!value || value === NO_ISO || initialLabel !== undefined || !choices) return undefined;
  return choices.some(({ id }) => id === value) ? undefined : value;
}

export function CompanySelect(field: Field) {
  const { search, setTyped, typing } = useSearchText();
  const { data, isLoading, isPlaceholderData } = useInfiniteQuery(queries.companies(search));
  const missing = idToLoad(field, data);
  const { data: loaded } = useQuery({ ...queries.company(missing ?? ''), enabled: missing !== undefined });
  const companies = [...(missing && loaded ? [loaded] : []), ...(data ?? [])];
  return (
    <LookupSelect
      {...field}
      onSearch={setTyped}
      stale={typing || isLoading || isPlaceholderData}
      choices={companies.map((company) => ({ value: company.id, label: company.name }))}
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
  const { data, isLoading, isPlaceholderData } = useInfiniteQuery({ ...query, enabled });
  const missing = idToLoad(field, data);
  const { data: loaded } = useQuery({ ...queries.iso(missing ?? ''), enabled: missing !== undefined });
  const isos = [...(missing && loaded ? [loaded] : []), ...(data ?? [])];
  return (
    <LookupSelect
      {...field}
      disabled={!enabled}
      placeholder={enabled ? undefined : t('company_first')}
      onSearch={setTyped}
      stale={enabled && (typing || isLoading || isPlaceholderData)}
      choices={[
        { value: NO_ISO, label: t('no_iso') },
        ...isos.map((iso) => ({ value: iso.id, label: `${iso.first_name} ${iso.last_name}` })),
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
  const { data, isLoading, isPlaceholderData } = useInfiniteQuery({ ...query, enabled });
  const missing = idToLoad(field, data);
  const { data: loaded } = useQuery({ ...queries.client(missing ?? ''), enabled: missing !== undefined });
  const clients = [...(missing && loaded ? [loaded] : []), ...(data ?? [])];
  return (
    <LookupSelect
      {...field}
      disabled={!enabled || field.disabled}
      placeholder={enabled ? undefined : t('company_first')}
      onSearch={setTyped}
      stale={enabled && (typing || isLoading || isPlaceholderData)}
      choices={clients.map((client) => ({
        value: client.id,
        label: `${client.first_name} ${client.last_name} (${client.email})`,
      }))}
    />
  );
}
