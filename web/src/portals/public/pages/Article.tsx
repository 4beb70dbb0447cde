import type { ReactNode } from 'react';
import { usePageTitle } from '../frame/usePageTitle';
import css from './Article.module.css';

/** Article layout: title in the left column, text beside it. */
export function Article({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <article className={css.article}>
      <header className={css.head}>
        <h1>{title}</h1>
        <p>{lead}</p>
      </header>
      <div className={css.text}>{children}</div>
    </article>
  );
}
