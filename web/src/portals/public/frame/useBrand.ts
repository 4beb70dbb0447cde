import { useTranslation } from 'react-i18next';
import { useSettings } from '../../../shared/settings/useSettings';

/** The product's name as the operator set it. */
export function useBrand(): string {
  const { t } = useTranslation('landing');
  return useSettings()?.brand_name ?? t('brand');
}
