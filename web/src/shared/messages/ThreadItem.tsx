import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Thread } from '../../api/types';
import { RelativeTime } from '../../ui/DateText';
import { CountBadge } from '../../ui/CountBadge';
import classes from './ThreadItem.module.css';
import { orderNameOf } from '../spvs/orderName';

interface Props {
  /** Undefined: the general conversation before its first message. */
  thread?: Thread;
  staff?: boolean;
  current: boolean;
  onChoose: () => void;
}

/** Thread in the list: subject, last message and unread count. */
export function ThreadItem({ thread, staff = false, current, onChoose }: Props) {
  const { t } = useTranslation('messages');
  const subject = (thread && orderNameOf(thread)) ?? t('support');
  const last = thread?.last_message;
  return (
    <li>
      <UnstyledButton
        className={classes.item}
        aria-current={current}
        data-unread={Boolean(thread?.unread)}
        onClick={onChoose}
      >
        <span className={classes.head}>
          <span className={classes.subject}>{staff && thread ? thread.client.name : subject}</span>
          {thread && <CountBadge of={thread.unread} label={t('unread', { count: thread.unread })} />}
        </span>
        {staff && <span className={classes.about}>{subject}</span>}
        <span className={classes.excerpt}>
          {last
            ? `${last.internal ? t('note') : last.author.me ? t('you') : last.author.name}: ${last.excerpt || t('file')}`
            : t('empty_client')}
        </span>
        {last && (
          <span className={classes.about}>
            <RelativeTime inside at={last.at} />
          </span>
        )}
      </UnstyledButton>
    </li>
  );
}
