import { useEffect, useState, type ReactNode } from 'react';
import { paths } from '../../../paths';
import { useBrand } from './useBrand';

type Dialog = typeof import('../landing/AccessDialog').AccessDialog;

const load = () => import('../landing/AccessDialog');

interface Options {
  /** The visitor was on the way to a page that needs a session: the dialog opens by itself. */
  wanted?: boolean;
  onClose?: () => void;
}

interface Access {
  open: () => void;
  /** Call when the pointer or the keyboard comes near. */
  warm: () => void;
  dialog: ReactNode;
}

/** The access dialog, loaded when a visitor reaches for it. */
export function useAccessDialog({ wanted = false, onClose }: Options = {}): Access {
  const brand = useBrand();
  const [opened, setOpened] = useState(wanted);
  const [Dialog, setDialog] = useState<Dialog>();

  useEffect(() => {
    if (!opened) return;
    load().then(
      (part) => setDialog(() => part.AccessDialog),
      // Not to be had, for example after an update of the server: the page with the same choice.
      () => location.assign(paths.portalSelector),
    );
  }, [opened]);

  const close = () => {
    setOpened(false);
    onClose?.();
  };
  return {
    open: () => setOpened(true),
    warm: () => void load().catch(() => undefined),
    dialog: opened && Dialog && <Dialog brand={brand} wanted={wanted} onClose={close} />,
  };
}
