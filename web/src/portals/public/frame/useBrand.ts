import { useLandingMessages } from '../../../messages/landingMessages';
import { useSettings } from '../../../shared/settings/useSettings';

/** Product name configured by the operator. */
export function useBrand(): string {
  const t = useLandingMessages();
  return useSettings()?.brand_name ?? t('brand');
}
