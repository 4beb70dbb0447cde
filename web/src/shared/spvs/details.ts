import type { TFunction } from 'i18next';
import type { Spv } from '../../api/types';

/** "Document Review Phase · Tax ID (EIN)" (decision 9). */
export function phaseText(t: TFunction, spv: Spv): string {
  const phase = t(`names:phase.${spv.status}`);
  return spv.current_step ? `${phase} · ${spv.current_step}` : phase;
}
