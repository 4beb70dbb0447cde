import { useTranslation } from 'react-i18next';
import type { DocumentVersion } from '../../api/types';
import { Tag } from '../../ui/Tag';

const tones = { not_scanned: 'rest', waiting: 'wait', clean: 'live', infected: 'stop' } as const;

/** Virus scan status of a version. */
export function ScanTag({ scan }: { scan: DocumentVersion['scan'] }) {
  const { t } = useTranslation('documents');
  return <Tag tone={tones[scan]}>{t(`scan.${scan}`)}</Tag>;
}
