import { Skeleton } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { IconMessageCircle } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { Message, Thread } from '../../api/types';
import { RelativeTime } from '../../ui/DateText';
import { LoadMore } from '../../ui/LoadMore';
import { ScrollLog } from '../../ui/ScrollLog';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { Tag } from '../../ui/Tag';
import { DocumentLines } from '../documents/DocumentLine';
import type { Target } from '../documents/uploads';
import { Composer, type Recipient } from './Composer';
import classes from './Conversation.module.css';
import { useMarkRead } from './markRead';

interface Props {
  /** Undefined before the first message. */
  thread: Thread | undefined;
  to: Recipient;
  label: string;
  /** Staff: internal notes, hidden from the client. */
  notes?: boolean;
}

/** Messages, newest at the bottom, and the composer. A visible newest message marks the thread read. */
export function Conversation({ thread, to, label, notes = false }: Props) {
  const { t } = useTranslation('messages');
  const { ref: end, inViewport } = useInViewport();
  useMarkRead(inViewport ? thread : undefined);
  const draft = draftKey(thread, to, notes);
  return (
    <div className={classes.conversation}>
      {thread ? (
        <Messages key={thread.id} thread={thread} label={label} />
      ) : (
        <EmptyState
          icon={<IconMessageCircle size={20} />}
          title={t('empty')}
          text={notes ? t('empty_staff') : t('empty_client')}
        />
      )}
      <div ref={end} />
      <Composer
        key={draft}
        draft={draft}
        to={to}
        notes={notes ? 'optional' : 'never'}
        files={attachmentTarget(thread, to, notes)}
      />
    </div>
  );
}

/** Draft key of a conversation, the same before and after its first message. */
function draftKey(thread: Thread | undefined, to: Recipient, notes: boolean): string {
  const spv = thread?.spv_id ?? ('spv_id' in to ? to.spv_id : undefined);
  return spv ?? (notes && thread ? thread.client.id : 'support');
}

/** Upload target of attachments: the order, or the client of the conversation. */
function attachmentTarget(thread: Thread | undefined, to: Recipient, notes: boolean): Target {
  const spv_id = thread?.spv_id ?? ('spv_id' in to ? to.spv_id : undefined);
  const client_id = notes ? (thread?.client.id ?? ('client_id' in to ? to.client_id : undefined)) : undefined;
  const attach = `message ${spv_id ?? client_id ?? ''}`;
  if (spv_id) return { spv_id, attach };
  return client_id ? { client_id, attach } : { attach };
}

function Messages({ thread, label }: { thread: Thread; label: string }) {
  const { t } = useTranslation('messages');
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    queries.messages(thread.id),
  );
  if (error && !data) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} m="md" width="auto" />;
  return (
    <ScrollLog label={label} newest={data[0]?.id}>
      {hasNextPage && (
        <LoadMore
          variant="subtle"
          size="compact-sm"
          className={classes.earlier}
          label={t('earlier')}
          loading={isFetchingNextPage}
          onLoad={() => void fetchNextPage()}
        />
      )}
      <ol className={classes.messages}>
        {data.toReversed().map((message) => (
          <Bubble key={message.id} message={message} />
        ))}
      </ol>
    </ScrollLog>
  );
}

function Bubble({ message }: { message: Message }) {
  const { t } = useTranslation(['messages', 'documents']);
  const { author, internal } = message;
  return (
    <li className={classes.message} data-mine={author.me} data-internal={internal}>
      <div className={classes.head}>
        <span className={classes.author}>{author.me ? t('you') : author.name}</span>
        {author.staff && !author.me && <span>{t('team')}</span>}
        <RelativeTime at={message.created_at} />
        {internal && <Tag tone="wait">{t('note')}</Tag>}
      </div>
      {message.body && <p className={classes.body}>{message.body}</p>}
      {message.documents.length > 0 && (
        <div className={classes.files}>
          <DocumentLines documents={message.documents} label={t('documents:attached')} />
        </div>
      )}
    </li>
  );
}
