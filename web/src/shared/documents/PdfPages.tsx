import { Button, Skeleton } from '@mantine/core';
import { getDocument, PDFWorker, version, type PDFDocumentProxy, type RenderTask } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toPublicPath } from '../../basePath';
import { trackedFetch } from '../../api/connection';
import { ErrorState } from '../../ui/ErrorState';
import classes from './documents.module.css';
import type { ContentLossMessage } from './pdfWorker';
// oxlint-disable-next-line import/default -- Vite answers the worker
import Worker from './pdfWorker?worker';

/** Assets that pdf.js fetches while drawing; see tools/pdfjs.ts. The CSP allows no WebAssembly. */
const PDFJS_ASSETS = toPublicPath(`/assets/pdfjs-${version}`);
const options = {
  cMapUrl: `${PDFJS_ASSETS}/cmaps/`,
  standardFontDataUrl: `${PDFJS_ASSETS}/standard_fonts/`,
  useWorkerFetch: false,
  useWasm: false,
  enableXfa: false,
};

interface Props {
  url: string;
  name: string;
  /** Retries with a new signed link. */
  onRetry: () => void;
  /** Part of the content cannot be drawn. */
  onLoss: () => void;
}

/** PDF viewer: one page at a time on a canvas; scripts in the file never run. */
export default function PdfPages({ url, name, onRetry, onLoss }: Props) {
  const { t } = useTranslation('documents');
  const [file, setFile] = useState<PDFDocumentProxy | null>(null);
  const [page, setPage] = useState(1);
  const [failed, setFailed] = useState(false);
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    let over = false;
    const port = new Worker();
    // The types allow only null.
    const worker = new PDFWorker({ port: port as never });
    port.addEventListener('message', ({ data }: MessageEvent<ContentLossMessage | object>) => {
      if (!over && 'loss' in data) onLoss();
    });
    let close = () => {
      worker.destroy();
      port.terminate();
    };
    // Loads the whole file: the signed link would expire before later pages.
    const load = async () => {
      const response = await trackedFetch(url);
      if (!response.ok) throw new Error(`the file: ${response.status}`);
      const task = getDocument({ ...options, worker, data: await response.arrayBuffer() });
      const end = close;
      close = () => void task.destroy().finally(end);
      const opened = await task.promise;
      if (over) close();
      else setFile(opened);
    };
    load().catch(() => !over && setFailed(true));
    return () => {
      over = true;
      close();
    };
  }, [url, onLoss]);

  useEffect(() => {
    if (!file || !canvas.current) return undefined;
    let task: RenderTask | undefined;
    let over = false;
    const draw = async (onto: HTMLCanvasElement) => {
      const sheet = await file.getPage(page);
      if (over) return;
      const [width = 1] = [sheet.getViewport({ scale: 1 }).width];
      const shown = onto.parentElement?.clientWidth ?? 800;
      const viewport = sheet.getViewport({ scale: (Math.min(shown, 900) / width) * (devicePixelRatio || 1) });
      onto.width = viewport.width;
      onto.height = viewport.height;
      task = sheet.render({ canvas: onto, viewport });
      await task.promise;
    };
    draw(canvas.current).catch((error: unknown) => {
      if (!over && (error as Error).name !== 'RenderingCancelledException') setFailed(true);
    });
    return () => {
      over = true;
      task?.cancel();
    };
  }, [file, page]);

  if (failed) return <ErrorState message={t('preview.broken')} onRetry={onRetry} />;
  const pages = file?.numPages ?? 0;
  return (
    <div className={classes.pdf}>
      {!file && <Skeleton height={360} />}
      <canvas
        ref={canvas}
        className={classes.sheet}
        role="img"
        aria-label={t('preview.page_of', { name, page, pages })}
        hidden={!file}
      />
      {pages > 1 && (
        <div className={classes.pager}>
          <Button variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {t('preview.previous')}
          </Button>
          <span className="num">{t('preview.page', { page, pages })}</span>
          <Button variant="default" disabled={page === pages} onClick={() => setPage(page + 1)}>
            {t('preview.next')}
          </Button>
        </div>
      )}
    </div>
  );
}
