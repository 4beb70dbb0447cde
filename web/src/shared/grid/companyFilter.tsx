import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { GridFilter } from '../../ui/grid/FilterChips';
import { useParam } from '../queryParams';
import { CompanySelect } from '../selects';

/** Filter of a list by company, in the parameter `company`. */
export function useCompanyFilter(): GridFilter {
  const { t } = useTranslation('names');
  const [id] = useParam('company');
  const { data } = useQuery({ ...queries.company(id), enabled: id !== '' });
  const label = t('field.company_id');
  return {
    key: 'company',
    label,
    nameOf: (value) => (data?.id === value ? data.name : undefined),
    field: (value, onChange) => (
      <CompanySelect label={label} value={value || null} onChange={(next) => onChange(next ?? '')} />
    ),
  };
}
