import { Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import classes from './Section.module.css';

interface Props {
  /** Anchor of the section, which links give the focus. */
  id?: string;
  title: string;
  /** Link or buttons beside the title. */
  actions?: ReactNode;
  /** Content with its own padding, such as a table. */
  flush?: boolean;
  /** Moves the focus to the title when the section appears: it takes the place of what had the focus. */
  takesFocus?: boolean;
  /** Where the heading of the page is the same. */
  hideTitle?: boolean;
  children: ReactNode;
}

/** Card with a title. */
export function Section({
  id: anchor,
  title,
  actions,
  flush = false,
  takesFocus,
  hideTitle,
  children,
}: Props) {
  const id = useId();
  if (hideTitle) {
    return (
      <section id={anchor} tabIndex={anchor ? -1 : undefined} className={classes.section} aria-label={title}>
        {children}
      </section>
    );
  }
  return (
    <section id={anchor} tabIndex={anchor ? -1 : undefined} className={classes.section} aria-labelledby={id}>
      <div className={classes.head}>
        <Title
          order={2}
          id={id}
          fz="lg"
          tabIndex={takesFocus ? -1 : undefined}
          ref={takesFocus ? focusOnce : undefined}
        >
          {title}
        </Title>
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      <div className={flush ? undefined : classes.body}>{children}</div>
    </section>
  );
}

const focusOnce = (title: HTMLElement | null) => title?.focus();
