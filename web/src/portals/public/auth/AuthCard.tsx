import type { ReactNode } from 'react';
import { usePageTitle } from '../frame/usePageTitle';
import css from './AuthCard.module.css';

interface Props {
  title: string;
  lead?: ReactNode;
  size?: 'medium' | 'wide';
  children?: ReactNode;
}

/** Centered card of an authentication page. */
export function AuthCard({ title, lead, size, children }: Props) {
  usePageTitle(title);
  return (
    <div className={css.task} data-size={size}>
      <h1>{title}</h1>
      {lead && <p className={css.lead}>{lead}</p>}
      {children}
    </div>
  );
}
