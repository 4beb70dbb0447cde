import { Trans, useTranslation } from 'react-i18next';
import type { ReactElement } from 'react';
import css from './ArticleSections.module.css';

interface Props {
  /** Message namespace of the page: `<page>.<point>` and `<page>.<point>_text`. */
  page: string;
  points: readonly string[];
  /** Components for tags in the texts. */
  links?: Record<string, ReactElement>;
}

/** Sections with headings between hairlines. */
export function ArticleSections({ page, points, links }: Props) {
  const { t } = useTranslation('public');
  return (
    <div className={css.points}>
      {points.map((point) => (
        <section key={point}>
          <h2>{t(`${page}.${point}`)}</h2>
          <p>
            <Trans t={t} i18nKey={`${page}.${point}_text`} components={links} />
          </p>
        </section>
      ))}
    </div>
  );
}
