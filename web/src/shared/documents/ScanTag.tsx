import { useTranslation } from 'react-i18next';
import type { DocumentVersion } from '../../api/types';
import { Tag } from '../../ui/Tag';

const tones = { waiting: 'wait', infected: 'stop' } as const;

/** Whether the scan of a version says something that a reader must know. */
export function hasScanResult(scan: DocumentVersion['scan']): scan is keyof typeof tones {
  return scan === 'waiting' || scan === 'infected';
}

/** Virus scan of a version: only while it runs, or where it found something. */
export function ScanTag({ scan }: { scan: DocumentVersion['scan'] }) {
  const { t } = useTranslation('documents');
  return hasScanResult(scan) ? <Tag tone={tones[scan]}>{t(`scan.${scan}`)}</Tag> : null;
}
