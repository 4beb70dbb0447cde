import { useQuery } from '@tanstack/react-query';
import { catalogueFor } from '../../../messages/locale';
import { useLocale } from '../../../messages/useLocale';
import type { Operation } from './openapi';

type Summaries = Record<string, string>;

/** Operation summaries by id in other languages than the document. */
const files = { es: () => import('./summaries.es.json') };

/** Summaries in the current language, falling back to the document. */
export function useSummaries(): (operation: Operation) => string {
  const catalogue = catalogueFor(useLocale().language);
  const { data } = useQuery({
    queryKey: ['openapi', 'summaries', catalogue],
    queryFn: async (): Promise<Summaries> => (catalogue === 'en' ? {} : (await files[catalogue]()).default),
    staleTime: Infinity,
  });
  return ({ operationId = '', summary = '' }) => data?.[operationId] ?? summary;
}
