import { Anchor } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { ActivitySkeleton } from '../../ui/ActivityList';
import { RelativeTime } from '../../ui/DateText';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import classes from './documents.module.css';
import { usePortalLinks } from './links';
import { fileFacts } from './labels';

/** Recent documents, updated live. */
export function RecentDocuments() {
  const { t } = useTranslation(['documents', 'common']);
  const places = usePortalLinks();
  const { data, error, refetch } = useInfiniteQuery(queries.documents({ limit: 4 }));
  return (
    <Section
      title={t('recent')}
      actions={
        <Anchor component={Link} to={places.documents} size="sm" aria-label={t('view_all_of')}>
          {t('view_all')}
        </Anchor>
      }
    >
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <ActivitySkeleton />}
      {data?.length === 0 && <EmptyState icon={<IconFiles size={20} />} title={t('empty')} />}
      {data && data.length > 0 && (
        <ul className={classes.recent}>
          {data.map((document) => (
            <li key={document.id}>
              <Anchor component={Link} to={places.document(document.id)} size="sm" fw={500}>
                {document.name}
              </Anchor>
              <span className={classes.aside}>
                {fileFacts(t, document.latest)} · <RelativeTime at={document.updated_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
