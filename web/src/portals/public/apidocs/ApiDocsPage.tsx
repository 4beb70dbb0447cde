import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { toPublicPath } from '../../../basePath';
import { trackedFetch } from '../../../api/connection';
import { errorText, responseError, unreachableError } from '../../../api/errors';
import { ErrorState } from '../../../ui/ErrorState';
import { usePageTitle } from '../frame/usePageTitle';
import { OperationDetails } from './OperationDetails';
import { groupByNoun, type Document } from './openapi';
import { useSummaries } from './summaries';
import css from './ApiDocsPage.module.css';

const OPENAPI_URL = toPublicPath('/rest/v1/openapi.json');

async function loadDocument(): Promise<Document> {
  const response = await trackedFetch(OPENAPI_URL).catch(() => {
    throw unreachableError();
  });
  if (!response.ok) throw responseError(response.status, await response.text());
  return (await response.json()) as Document;
}

/** API documentation from OpenAPI. Own rendering, because third-party viewers need a weaker CSP. */
export function Component() {
  const { t } = useTranslation('public');
  const { data, error, refetch } = useQuery({
    queryKey: ['openapi'],
    queryFn: loadDocument,
    staleTime: Infinity,
  });
  usePageTitle(t('api.title'));
  return (
    <div>
      <header className={css.head}>
        <h1>{t('api.title')}</h1>
        <p>{t('api.lead')}</p>
        <p>
          <a href={OPENAPI_URL}>{t('api.document')}</a>
        </p>
      </header>
      {error ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : data ? (
        <OperationGroups document={data} />
      ) : (
        <ApiDocsSkeleton />
      )}
    </div>
  );
}

function OperationGroups({ document }: { document: Document }) {
  const { t } = useTranslation('public');
  const summary = useSummaries();
  const nouns = groupByNoun(document);
  return (
    <div className={css.columns}>
      <nav className={css.index} aria-label={t('api.nouns')}>
        <ul>
          {nouns.map(([noun, entries]) => (
            <li key={noun}>
              <a href={`#${noun}`}>
                {noun} <span>{entries.length}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className={css.nouns}>
        {nouns.map(([noun, entries]) => (
          // Unnamed, so it is no landmark: thirty would clutter the page, and one would clash with the messages page.
          <section key={noun} id={noun}>
            <h2>{noun}</h2>
            {entries.map((entry) => (
              <OperationDetails
                key={`${entry.method} ${entry.path}`}
                document={document}
                entry={entry}
                summary={summary(entry.operation)}
              />
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}

function ApiDocsSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div className={css.waiting} role="status" aria-busy="true" aria-label={t('loading')}>
      {Array.from({ length: 8 }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}
