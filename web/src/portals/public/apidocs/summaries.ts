import { useQuery } from '@tanstack/react-query';
import { catalogueFor, useLocale } from '../../../messages/locale';
import type { Operation } from './openapi';

type Summaries = Record<string, string>;

/** What each operation does, by its id, in other languages than the document's own. */
const files = { es: () => import('./summaries.es.json') };

/** Words the operations of the API in the reader's language; the document's own words where there are none. */
export function useSummaries(): (operation: Operation) => string {
  const catalogue = catalogueFor(useLocale().language);
  const { data } = useQuery({
    queryKey: ['openapi', 'summaries', catalogue],
    queryFn: async (): Promise<Summaries> => (catalogue === 'en' ? {} : (await files[catalogue]()).default),
    staleTime: Infinity,
  });
  return ({ operationId = '', summary = '' }) => data?.[operationId] ?? summary;
}
