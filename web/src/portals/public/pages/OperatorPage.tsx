import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Settings } from '../../../api/types';
import { ErrorState } from '../../../ui/ErrorState';
import { usePageTitle } from '../frame/usePageTitle';
import { NotFoundMessage } from '../NotFound';
import css from './OperatorPage.module.css';

/** Page with a text of the operator; 404 without one. */
export function OperatorPage({ page }: { page: keyof Settings['pages'] }) {
  const { data: settings, error, refetch } = useQuery(queries.settings());
  if (error) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (!settings) return <div className={css.waiting} aria-busy="true" />;
  const text = settings.pages[page];
  return text ? <OperatorText page={page} text={text} /> : <NotFoundMessage />;
}

function OperatorText({ page, text }: { page: keyof Settings['pages']; text: string }) {
  const { t } = useTranslation('public');
  const title = t(`operator.${page}`);
  usePageTitle(title);
  return (
    <article className={css.article}>
      <h1>{title}</h1>
      <div className={css.text}>{text}</div>
    </article>
  );
}
