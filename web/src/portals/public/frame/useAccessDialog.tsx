import { useEffect, useState, type ReactNode } from 'react';
import { toPublicPath } from '../../../basePath';
import { paths } from '../../../paths';
import { useBrand } from './useBrand';

type Dialog = typeof import('../landing/AccessDialog').AccessDialog;

const load = () => import('../landing/AccessDialog');

interface Options {
  /** Opens initially: a visitor was redirected from a protected page. */
  redirected?: boolean;
  onClose?: () => void;
}

interface Access {
  open: () => void;
  /** Prefetches the dialog on hover or focus. */
  warm: () => void;
  dialog: ReactNode;
}

/** Access dialog, loaded on demand. */
export function useAccessDialog({ redirected = false, onClose }: Options = {}): Access {
  const brand = useBrand();
  const [opened, setOpened] = useState(redirected);
  const [Dialog, setDialog] = useState<Dialog>();

  useEffect(() => {
    if (!opened) return;
    load().then(
      (part) => setDialog(() => part.AccessDialog),
      // The chunk is gone, e.g. after a deployment: falls back to the portal selection page.
      () => location.assign(toPublicPath(paths.portalSelector)),
    );
  }, [opened]);

  const close = () => {
    setOpened(false);
    onClose?.();
  };
  return {
    open: () => setOpened(true),
    warm: () => void load().catch(() => undefined),
    dialog: opened && Dialog && <Dialog brand={brand} redirected={redirected} onClose={close} />,
  };
}
