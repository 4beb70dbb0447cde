import { Anchor, Skeleton, Switch } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { Thread } from '../../api/types';
import { LoadMore } from '../../ui/LoadMore';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { useFlag, useParam } from '../queryParams';
import { Conversation } from './Conversation';
import classes from './Inbox.module.css';
import { GENERAL_THREAD } from './generalThread';
import { ThreadItem } from './ThreadItem';
import { orderNameOf } from '../spvs/orderName';

interface Props {
  /** Staff see all conversations and can write notes. */
  staff?: boolean;
  /** Link to the subject of a thread. */
  about: (thread: Thread) => ReactNode;
}

/** Conversations on the left, the selected one on the right; one of the two on a phone. */
export function Inbox({ staff = false, about }: Props) {
  const { t } = useTranslation('messages');
  const [chosen, choose] = useParam('thread');
  const [unreadOnly, setUnreadOnly] = useFlag('unread');
  const list = useInfiniteQuery(queries.threads({ unread: unreadOnly || undefined }));
  const general = list.data?.find((thread) => thread.spv_id === null);
  const listed =
    list.data?.find(({ id }) => id === chosen) ?? (chosen === GENERAL_THREAD ? general : undefined);
  const byId = useQuery({
    ...queries.thread(chosen),
    // Loaded by id too: a thread just read leaves the unread list but stays open.
    enabled: chosen !== '' && chosen !== GENERAL_THREAD,
  });
  const thread = listed ?? (chosen === GENERAL_THREAD ? undefined : byId.data);
  const open = thread !== undefined || chosen === GENERAL_THREAD;
  return (
    <div className={classes.inbox} data-open={open}>
      <div className={classes.list}>
        {staff && (
          <div className={classes.filter}>
            <Switch
              size="sm"
              label={t('unread_only')}
              checked={unreadOnly}
              onChange={(event) => setUnreadOnly(event.currentTarget.checked)}
            />
          </div>
        )}
        {list.error && !list.data && (
          <ErrorState message={errorText(list.error)} onRetry={() => void list.refetch()} />
        )}
        {!list.data && !list.error && <Skeleton height={160} m="md" width="auto" />}
        {list.data && (
          <ul className={classes.threads} aria-label={t('conversations')}>
            {!staff && !general && (
              <ThreadItem current={chosen === GENERAL_THREAD} onChoose={() => choose(GENERAL_THREAD)} />
            )}
            {list.data.map((one) => (
              <ThreadItem
                key={one.id}
                thread={one}
                staff={staff}
                current={one.id === thread?.id}
                onChoose={() => choose(one.id)}
              />
            ))}
          </ul>
        )}
        {staff && list.data?.length === 0 && (
          <EmptyState icon={<IconMessages size={20} />} title={unreadOnly ? t('all_read') : t('none')} />
        )}
        {list.hasNextPage && (
          <LoadMore m="sm" loading={list.isFetchingNextPage} onLoad={() => void list.fetchNextPage()} />
        )}
      </div>
      <div className={classes.open}>
        {open ? (
          <>
            <header className={classes.head}>
              <Anchor component="button" type="button" className={classes.back} onClick={() => choose('')}>
                ← {t('conversations')}
              </Anchor>
              <div className={classes.about}>{thread ? about(thread) : t('support')}</div>
            </header>
            <Conversation
              thread={thread}
              to={thread ? { thread_id: thread.id } : {}}
              label={(thread && orderNameOf(thread)) ?? t('support')}
              notes={staff}
            />
          </>
        ) : (
          <EmptyState icon={<IconMessages size={20} />} title={t('choose')} />
        )}
      </div>
    </div>
  );
}
