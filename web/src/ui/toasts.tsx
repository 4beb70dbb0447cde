import { createNotificationsStore, notifications } from '@mantine/notifications';
import { useHotkeys } from '@mantine/hooks';
import i18next from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './toasts.module.css';

/**
 * Toasts: outcomes replace each other; background notices stack up to three (decision 34). Both are at the top in the
 * middle: titles stand on the left, actions of the page on the right, and buttons of dialogs at the bottom.
 */
export const outcomeStore = createNotificationsStore();
export const noticeStore = createNotificationsStore();

/** Visible count and duration in milliseconds. */
export const MAX_VISIBLE = {
  outcomes: { limit: 1, autoClose: 5000 },
  notices: { limit: 3, autoClose: 4000 },
};

interface Toast {
  title: string;
  description?: string;
  destructive?: boolean;
  /** Button of the toast, such as Undo, which closes it. */
  action?: { label: string; run: () => void };
}

/** Outcome toast of a user action. Errors stay until closed. */
export function toast({ title, description, destructive = false, action }: Toast): void {
  notifications.clean(outcomeStore);
  const id = notifications.show(
    {
      title,
      message: action ? (
        <div className={classes.body}>
          <span>{description}</span>
          <button
            type="button"
            className={classes.action}
            onClick={() => {
              notifications.hide(id, outcomeStore);
              action.run();
            }}
          >
            {action.label}
          </button>
        </div>
      ) : (
        description
      ),
      color: destructive ? 'red' : 'brand',
      autoClose: destructive ? false : 5000,
      role: destructive ? 'alert' : 'status',
      closeButtonProps: { 'aria-label': i18next.t('common:close') },
    },
    outcomeStore,
  );
}

/** Closes an error toast after success. */
export function clearToast(): void {
  notifications.clean(outcomeStore);
}

/** Background notice; long texts may stay longer. */
export function notice(
  { title, description }: Pick<Toast, 'title' | 'description'>,
  autoClose?: number,
): void {
  notifications.show(
    {
      title,
      message: description,
      ...(autoClose !== undefined && { autoClose }),
      color: 'gray',
      role: 'status',
      closeButtonProps: { 'aria-label': i18next.t('common:close') },
    },
    noticeStore,
  );
}

type Stacks = typeof import('./ToastStacks').ToastStacks;

/** What draws toasts loads with the first one, or with a portal, where a toast may say that the connection is lost. */
let loading: Promise<Stacks> | undefined;
export function loadToasts(): Promise<Stacks> {
  loading ??= import('./ToastStacks').then(
    (part) => part.ToastStacks,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

export function Toasts() {
  const { t } = useTranslation('common');
  const region = useRef<HTMLElement>(null);
  const [Shown, setShown] = useState<Stacks>();
  useEffect(() => {
    // The next toast tries again.
    const show = ({ notifications: waiting }: { notifications: unknown[] }) => {
      if (waiting.length === 0) return;
      loadToasts().then(
        (stacks) => setShown(() => stacks),
        () => undefined,
      );
    };
    const ends = [outcomeStore, noticeStore].map((store) => store.subscribe(show));
    return () => ends.forEach((end) => end());
  }, []);
  // Inside fields too, and by physical key: Alt+T types a dagger on a Mac.
  useHotkeys([['alt+T', () => region.current?.focus(), { usePhysicalKeys: true }]], [], true);
  return (
    <section
      ref={region}
      className={classes.toasts}
      aria-label={t('notifications')}
      tabIndex={-1}
      aria-live="polite"
      aria-relevant="additions text"
      aria-atomic={false}
    >
      {Shown && <Shown />}
    </section>
  );
}
