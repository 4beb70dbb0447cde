import type { TFunction } from 'i18next';
import type { DocumentVersion } from '../../api/types';
import { bytes } from '../../messages/format';

const kinds: Record<string, string> = {
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/msword': 'word',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'word',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'sheet',
  'application/vnd.ms-excel': 'sheet',
  'application/vnd.microsoft.portable-executable': 'program',
  'text/html': 'page',
  'text/plain': 'text',
};

/** File facts: "PDF · 1.2 MB", by content, not by name. */
export function fileFacts(t: TFunction, version: DocumentVersion): string {
  const known = kinds[version.media_type];
  const picture = version.media_type.startsWith('image/');
  const kind = known ?? (picture ? 'image' : 'other');
  return `${t(`documents:kind.${kind}`)} · ${bytes(version.bytes)}`;
}
