import '@mantine/dropzone/styles.layer.css';
import { Button } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useMediaQuery } from '@mantine/hooks';
import { IconCamera, IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './documents.module.css';
import { usePageDrop } from './usePageDrop';
import { UploadLimits } from './UploadLimits';
import { UploadList } from './UploadList';
import type { OnUploaded, RunningUpload, Target } from './uploads';
import { useSendFiles } from './useSendFiles';

interface Props {
  target: Target;
  /** Accessible label. */
  label: string;
  /** A new version is a single file. */
  single?: boolean;
  onUploaded?: OnUploaded;
  /** Takes files dropped anywhere on the page; for one area of a page. */
  wholePage?: boolean;
  /** Retries the attach call of an upload. */
  onRetry?: (upload: RunningUpload) => void;
}

/** Dropzone, file chooser and camera on phones. */
export function UploadArea({ target, label, single = false, wholePage = false, onUploaded, onRetry }: Props) {
  const { t } = useTranslation('documents');
  const open = useRef<() => void>(null);
  const camera = useRef<HTMLInputElement>(null);
  const hasCamera = useMediaQuery('(pointer: coarse)');
  const upload = useSendFiles(target, { onUploaded, onRetry });
  const place = useRef<HTMLDivElement>(null);
  return (
    <div ref={place} className={classes.area} role="group" aria-label={label}>
      {wholePage && (
        <PageDrop
          label={label}
          onFiles={(files) => {
            upload(single ? files.slice(0, 1) : files);
            place.current?.scrollIntoView({ block: 'nearest' });
          }}
        />
      )}
      <Dropzone
        openRef={open}
        onDrop={upload}
        multiple={!single}
        activateOnClick={false}
        className={classes.zone}
        inputProps={{ 'aria-label': label }}
      >
        <div className={classes.zoneInner}>
          <IconUpload size={18} aria-hidden="true" />
          <span className={classes.zoneWords}>{single ? t('upload.drop_one') : t('upload.drop')}</span>
          <div className={classes.zoneButtons}>
            <Button variant="default" onClick={() => open.current?.()} className={classes.pointed}>
              {single ? t('upload.choose_one') : t('upload.choose')}
            </Button>
            {hasCamera && (
              <Button
                variant="default"
                leftSection={<IconCamera size={15} />}
                onClick={() => camera.current?.click()}
                className={classes.pointed}
              >
                {t('upload.camera')}
              </Button>
            )}
          </div>
        </div>
        <UploadLimits />
      </Dropzone>
      {hasCamera && (
        <input
          ref={camera}
          type="file"
          accept="image/*"
          capture="environment"
          hidden
          onChange={(event) => {
            upload([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
      )}
      <UploadList target={target} onRetry={onRetry} />
    </div>
  );
}

/** Covers the page while files are held over it. */
function PageDrop({ label, onFiles }: { label: string; onFiles: (files: File[]) => void }) {
  const over = usePageDrop(onFiles);
  return over && <div className={classes.pageDrop}>{label}</div>;
}
