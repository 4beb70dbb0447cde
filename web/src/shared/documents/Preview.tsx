import { Modal, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import type { DocumentVersion } from '../../api/types';
import { ErrorState } from '../../ui/states';
import classes from './documents.module.css';
import { linkTo } from './files';

// A megabyte that only those load who look at a PDF.
const PdfPages = lazy(() => import('./PdfPages'));

/** A version's file in the page: a picture, or the pages of a PDF. */
export function Preview({ version, onClose }: { version: DocumentVersion; onClose: () => void }) {
  const { t } = useTranslation(['documents', 'common']);
  const phone = useMediaQuery('(max-width: 600px)');
  const isPdf = version.media_type === 'application/pdf';
  const link = useQuery({
    queryKey: ['file', version.id],
    queryFn: () => linkTo(version.id, 'inline'),
    // The link is good for a moment only, and a picture that is there stays there.
    staleTime: 'static',
    gcTime: 0,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={version.file_name}
      size="xl"
      fullScreen={phone}
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      {link.error && <ErrorState message={errorText(link.error)} onRetry={() => void link.refetch()} />}
      {link.isPending && <Skeleton height={360} />}
      {link.data && !isPdf && <img className={classes.picture} src={link.data} alt={version.file_name} />}
      {link.data && isPdf && (
        <Suspense fallback={<Skeleton height={360} />}>
          <PdfPages
            key={link.dataUpdatedAt}
            url={link.data}
            name={version.file_name}
            onRetry={() => void link.refetch()}
          />
        </Suspense>
      )}
    </Modal>
  );
}
