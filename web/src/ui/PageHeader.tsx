import { Text, Title } from '@mantine/core';
import { use, useEffect, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import classes from './PageHeader.module.css';
import { PageFrameContext } from './pageFrame';

interface Props {
  title: string;
  text?: ReactNode;
  /** Status of a record, beside its name. */
  status?: ReactNode;
  actions?: ReactNode;
  /** Links to the parents, shown as the breadcrumb of the top bar. */
  trail?: ReactNode;
}

/** Names the page in the frame around it; returns its breadcrumb, which the page renders. */
export function usePageName(title: string, trail: ReactNode): ReactNode {
  const frame = use(PageFrameContext);
  const onPage = frame?.onPage;
  const isRecord = Boolean(trail);
  useEffect(() => {
    if (onPage) onPage(title, isRecord);
    else document.title = title;
  }, [title, isRecord, onPage]);
  return trail && frame?.trailSlot && createPortal(<Trail title={title}>{trail}</Trail>, frame.trailSlot);
}

export function PageHeader({ title, text, status, actions, trail }: Props) {
  const breadcrumb = usePageName(title, trail);
  return (
    <header className={classes.header}>
      {breadcrumb}
      <div className={classes.words}>
        <div className={classes.name}>
          <Title order={1}>{title}</Title>
          {status}
        </div>
        {text && (
          <Text c="dimmed" size="sm" component="div">
            {text}
          </Text>
        )}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}

/** Breadcrumb. The page itself is drawn from an attribute: its heading follows, so it is not read twice. */
function Trail({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation('shell');
  return (
    <nav className={classes.trail} aria-label={t('breadcrumb')}>
      {children}
      <span className={classes.here} data-title={title} aria-hidden="true" />
    </nav>
  );
}
