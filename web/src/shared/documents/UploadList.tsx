import { ActionIcon, Button } from '@mantine/core';
import { IconCircleCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { bytes } from '../../messages/format';
import { ProgressBar } from '../../ui/ProgressBar';
import classes from './documents.module.css';
import { dismissUpload, resumeUpload, useUploads, type RunningUpload, type Target } from './uploads';

type OnRetry = (upload: RunningUpload) => void;

interface Props {
  target: Target;
  onRetry?: OnRetry;
  /** Finished uploads are shown elsewhere. */
  hideDone?: boolean;
}

/** Uploads of a target with progress. */
export function UploadList({ target, onRetry, hideDone = false }: Props) {
  const { t } = useTranslation('documents');
  const uploads = useUploads(target).filter(({ status }) => !hideDone || status !== 'done');
  if (uploads.length === 0) return null;
  return (
    <ul className={classes.uploads} aria-label={t('upload.running')}>
      {uploads.map((upload) => (
        <Row key={upload.id} upload={upload} onRetry={onRetry} />
      ))}
    </ul>
  );
}

function Row({ upload, onRetry }: { upload: RunningUpload; onRetry?: OnRetry }) {
  const { t } = useTranslation(['documents', 'common']);
  const { id, name, status } = upload;
  return (
    <li className={classes.upload} data-status={status}>
      <div className={classes.uploadWords}>
        <span className={classes.uploadName}>{name}</span>
        <span className={classes.uploadFacts} role="status">
          {status === 'sending' && bytes(upload.bytes)}
          {status === 'waiting' && t('upload.waiting')}
          {status === 'cut_off' && t('upload.cut_off')}
          {status === 'failed' && upload.problem}
          {status === 'unsent' && t('upload.unsent', { problem: upload.problem ?? t('upload.left') })}
          {status === 'done' && (
            <>
              <IconCircleCheck size={14} aria-hidden="true" /> {t('upload.done')}
            </>
          )}
        </span>
        {status !== 'done' && status !== 'failed' && status !== 'unsent' && (
          <ProgressBar
            percent={upload.bytes ? (100 * upload.sent) / upload.bytes : 0}
            label={t('upload.progress_of', { name })}
          />
        )}
      </div>
      {status === 'failed' && (
        <Button
          variant="default"
          onClick={() => resumeUpload(id)}
          aria-label={t('upload.retry_of', { name })}
        >
          {t('common:try_again')}
        </Button>
      )}
      {status === 'unsent' && onRetry && (
        <Button
          variant="default"
          onClick={() => onRetry(upload)}
          aria-label={t('upload.send_again_of', { name })}
        >
          {t('upload.send_again')}
        </Button>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        aria-label={
          status === 'done' || status === 'unsent'
            ? t('upload.hide_of', { name })
            : t('upload.cancel_of', { name })
        }
        onClick={() => dismissUpload(id)}
      >
        <IconX size={16} />
      </ActionIcon>
    </li>
  );
}
