import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { heardFetch } from '../../../api/connection';
import { errorText, refusal, unreachable } from '../../../api/errors';
import { ErrorState } from '../../../ui/ErrorState';
import { usePageTitle } from '../frame/usePageTitle';
import { OperationDetails } from './OperationDetails';
import { byNoun, type Document } from './openapi';
import { useSummaries } from './summaries';
import css from './ApiDocsPage.module.css';

const address = '/rest/v1/openapi.json';

async function load(): Promise<Document> {
  const answer = await heardFetch(address).catch(() => {
    throw unreachable();
  });
  if (!answer.ok) throw refusal(answer.status, await answer.text());
  return (await answer.json()) as Document;
}

/** The API as the server describes it. Our own rendering: a viewer from elsewhere would need a weaker policy. */
export function Component() {
  const { t } = useTranslation('public');
  const { data, error, refetch } = useQuery({ queryKey: ['openapi'], queryFn: load, staleTime: Infinity });
  usePageTitle(t('api.title'));
  return (
    <div>
      <header className={css.head}>
        <h1>{t('api.title')}</h1>
        <p>{t('api.lead')}</p>
        <p>
          <a href={address}>{t('api.document')}</a>
        </p>
      </header>
      {error ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : data ? (
        <Nouns document={data} />
      ) : (
        <Waiting />
      )}
    </div>
  );
}

function Nouns({ document }: { document: Document }) {
  const { t } = useTranslation('public');
  const summary = useSummaries();
  const nouns = byNoun(document);
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
          // Without a name it is no landmark: the page would have thirty, and one is called as the messages are.
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

function Waiting() {
  const { t } = useTranslation('common');
  return (
    <div className={css.waiting} role="status" aria-busy="true" aria-label={t('loading')}>
      {Array.from({ length: 8 }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}
