import { Alert, Button, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import type { DocumentVersion } from '../../api/types';
import { ErrorState } from '../../ui/ErrorState';
import classes from './documents.module.css';
import { download, downloadUrl } from './downloads';
import { Dialog } from '../../ui/Dialog';

// Lazy: a megabyte.
const PdfPages = lazy(() => import('./PdfPages'));

/** Photo formats that browsers cannot draw, such as HEIC. */
export function isPhotoWithoutPreview({ inline, media_type }: DocumentVersion): boolean {
  return !inline && media_type.startsWith('image/');
}

/** Preview of a version: image or PDF, otherwise a download link. */
export function Preview({ version, onClose }: { version: DocumentVersion; onClose: () => void }) {
  const { t } = useTranslation(['documents', 'common']);
  const phone = useMediaQuery('(max-width: 600px)');
  const isPdf = version.media_type === 'application/pdf';
  const shown = !isPhotoWithoutPreview(version);
  const [lossy, setLossy] = useState(false);
  const onLoss = useCallback(() => setLossy(true), []);
  const link = useQuery({
    queryKey: ['file', version.id],
    queryFn: () => downloadUrl(version.id, 'inline'),
    enabled: shown,
    // The signed link is short-lived, so a shown image is not refetched.
    staleTime: 'static',
    gcTime: 0,
  });
  return (
    <Dialog onClose={onClose} title={version.file_name} size="xl" fullScreen={phone}>
      {(lossy || !shown) && (
        <Alert className={classes.part} role="status">
          <div className={classes.partWords}>
            <span>{shown ? t('preview.part') : t('preview.no_format')}</span>
            <Button variant="default" onClick={() => void download(version.id, t('download_failed'))}>
              {t('download')}
            </Button>
          </div>
        </Alert>
      )}
      {link.error && <ErrorState message={errorText(link.error)} onRetry={() => void link.refetch()} />}
      {shown && link.isPending && <Skeleton height={360} />}
      {link.data && !isPdf && <img className={classes.picture} src={link.data} alt={version.file_name} />}
      {link.data && isPdf && (
        <Suspense fallback={<Skeleton height={360} />}>
          <PdfPages
            key={link.dataUpdatedAt}
            url={link.data}
            name={version.file_name}
            onRetry={() => void link.refetch()}
            onLoss={onLoss}
          />
        </Suspense>
      )}
    </Dialog>
  );
}
