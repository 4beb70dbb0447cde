import '@mantine/dropzone/styles.layer.css';
import { Button } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useMediaQuery } from '@mantine/hooks';
import { IconCamera, IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '../session/me';
import classes from './documents.module.css';
import { UploadList } from './UploadList';
import { sendFiles, type OnUploaded, type RunningUpload, type Target } from './uploads';
import { useUploadToasts } from './useUploadToasts';

interface Props {
  target: Target;
  /** Accessible label. */
  label: string;
  /** A new version is a single file. */
  single?: boolean;
  onUploaded?: OnUploaded;
  /** Retries the attach call of an upload. */
  onRetry?: (upload: RunningUpload) => void;
}

/** Dropzone, file chooser and camera on phones. */
export function UploadArea({ target, label, single = false, onUploaded, onRetry }: Props) {
  const { t } = useTranslation('documents');
  const { id: user } = useMe();
  const open = useRef<() => void>(null);
  const camera = useRef<HTMLInputElement>(null);
  const hasCamera = useMediaQuery('(pointer: coarse)');
  const showToast = useUploadToasts(target);
  const handleUploaded: OnUploaded = (documentId) => {
    showToast(documentId);
    onUploaded?.(documentId);
  };
  const upload = (files: readonly File[]) =>
    void sendFiles(files, target, user, handleUploaded, onRetry !== undefined);
  return (
    <div className={classes.area} role="group" aria-label={label}>
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
          <span>{single ? t('upload.drop_one') : t('upload.drop')}</span>
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
