import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDownload, IconEye } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DocumentVersion } from '../../api/types';
import classes from './documents.module.css';
import { download } from './downloads';
import { isPhotoWithoutPreview, Preview } from './Preview';

/** Preview and download of a version. */
export function VersionButtons({ version }: { version: DocumentVersion }) {
  const { t } = useTranslation('documents');
  const [shown, setShown] = useState(false);
  const name = version.file_name;
  if (version.scan === 'infected' || version.scan === 'waiting') return null;
  return (
    <div className={classes.buttons}>
      {(version.inline || isPhotoWithoutPreview(version)) && (
        <Tooltip label={t('preview.open')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('preview.open_of', { name, number: version.number })}
            onClick={() => setShown(true)}
          >
            <IconEye size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label={t('download')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={t('download_of', { name, number: version.number })}
          onClick={() => void download(version.id, t('download_failed'))}
        >
          <IconDownload size={16} />
        </ActionIcon>
      </Tooltip>
      {shown && <Preview version={version} onClose={() => setShown(false)} />}
    </div>
  );
}
