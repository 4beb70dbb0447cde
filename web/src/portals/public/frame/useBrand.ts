import { useLandingMessages } from '../../../messages/landingMessages';
import { useSettings } from '../../../shared/settings/useSettings';

/** The product's name as the operator set it. */
export function useBrand(): string {
  const t = useLandingMessages();
  return useSettings()?.brand_name ?? t('brand');
}
