import type { ReactNode } from 'react';
import { usePageTitle } from '../frame/usePageTitle';
import css from './Task.module.css';

interface Props {
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}

/** One thing to do in the middle of a quiet page. */
export function Task({ title, lead, wide, children }: Props) {
  usePageTitle(title);
  return (
    <div className={css.task} data-wide={wide || undefined}>
      <h1>{title}</h1>
      {lead && <p className={css.lead}>{lead}</p>}
      {children}
    </div>
  );
}
