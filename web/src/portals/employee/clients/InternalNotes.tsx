import { Anchor, Skeleton } from '@mantine/core';
import { IconNote } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { InternalNote } from '../../../api/types';
import { paths } from '../../../paths';
import { DocumentLines } from '../../../shared/documents/DocumentLine';
import { Composer } from '../../../shared/messages/Composer';
import { orderNameOf } from '../../../shared/spvs/orderName';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';
import { LoadMore } from '../../../ui/LoadMore';
import { Prose } from '../../../ui/Prose';
import classes from './InternalNotes.module.css';

/** Internal notes about a client from all their conversations; a new one goes to the general conversation. */
export function InternalNotes({ clientId }: { clientId: string }) {
  const { t } = useTranslation(['messages', 'common']);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    queries.internalNotes(clientId),
  );
  return (
    <>
      <Composer
        draft={`note ${clientId}`}
        to={{ client_id: clientId }}
        notes="always"
        files={{ client_id: clientId, attach: `note ${clientId}` }}
      />
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={120} m="md" width="auto" />}
      {data?.length === 0 && (
        <EmptyState icon={<IconNote size={20} />} title={t('notes_empty')} text={t('notes_text')} />
      )}
      {data && data.length > 0 && (
        <ul className={classes.notes} aria-label={t('notes')} aria-live="polite">
          {data.map((note) => (
            <Note key={note.id} note={note} />
          ))}
        </ul>
      )}
      {hasNextPage && <LoadMore m="md" loading={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
    </>
  );
}

function Note({ note }: { note: InternalNote }) {
  const { t } = useTranslation(['messages', 'documents']);
  return (
    <li>
      <div className={classes.head}>
        <span className={classes.author}>{note.author.me ? t('you') : note.author.name}</span>
        <RelativeTime at={note.created_at} />
        <Anchor component={Link} to={paths.employeeThread(note.thread_id)} size="xs">
          {orderNameOf(note) ?? t('support')}
        </Anchor>
      </div>
      {note.body && (
        <p className={classes.body}>
          <Prose>{note.body}</Prose>
        </p>
      )}
      {note.documents.length > 0 && (
        <DocumentLines documents={note.documents} label={t('documents:attached')} />
      )}
    </li>
  );
}
