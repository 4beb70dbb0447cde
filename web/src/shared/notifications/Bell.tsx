import { ActionIcon, Anchor, Button, Popover, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBell, IconBellOff } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { LoadMore } from '../../ui/LoadMore';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { useMe } from '../session/me';
import classes from './Bell.module.css';
import { NotificationItem } from './NotificationItem';
import { useMarkSeen } from './markSeen';

/** Notification bell: unread count and list. `choices`: path of the preferences. */
export function Bell({ choices }: { choices: string }) {
  const { t } = useTranslation('notifications');
  const [open, popover] = useDisclosure(false);
  const { data } = useQuery(queries.unreadNotifications());
  const unread = data?.unread ?? 0;
  return (
    <Popover
      opened={open}
      onChange={(next) => (next ? popover.open() : popover.close())}
      position="bottom-end"
      width="min(400px, calc(100vw - 24px))"
      trapFocus
      withRoles={false}
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          className={classes.bell}
          aria-label={unread > 0 ? t('bell_unread', { count: unread }) : t('title')}
          aria-expanded={open}
          aria-haspopup="dialog"
          onClick={popover.toggle}
        >
          <IconBell size={18} stroke={1.5} />
          {unread > 0 && (
            <span className={classes.count} aria-hidden="true">
              {unread > 99 ? '99+' : unread}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} role="dialog" aria-label={t('title')}>
        {open && <NotificationList unread={unread} choices={choices} onClose={popover.close} />}
      </Popover.Dropdown>
    </Popover>
  );
}

interface NotificationListProps {
  unread: number;
  choices: string;
  onClose: () => void;
}

function NotificationList({ unread, choices, onClose }: NotificationListProps) {
  const { t } = useTranslation('notifications');
  const { role } = useMe();
  const list = useInfiniteQuery(queries.notifications());
  const markSeen = useMarkSeen();
  return (
    <>
      <header className={classes.head}>
        <strong>{t('title')}</strong>
        <Button
          variant="subtle"
          size="compact-sm"
          // Not disabled: it would lose the focus, and with it Escape.
          data-disabled={unread === 0}
          onClick={() => unread > 0 && markSeen.mutate({ all: true })}
        >
          {t('read_all')}
        </Button>
      </header>
      <div className={classes.scroll}>
        {list.error && !list.data && (
          <ErrorState message={errorText(list.error)} onRetry={() => void list.refetch()} />
        )}
        {!list.data && !list.error && <Skeleton height={120} m="md" width="auto" />}
        {list.data?.length === 0 && (
          <EmptyState icon={<IconBellOff size={20} />} title={t('empty')} text={t('empty_text')} />
        )}
        <ul className={classes.list}>
          {list.data?.map((one) => (
            <NotificationItem
              key={one.id}
              notification={one}
              role={role}
              onOpen={() => {
                if (!one.read_at) markSeen.mutate({ ids: [one.id] });
                onClose();
              }}
            />
          ))}
        </ul>
        {list.hasNextPage && (
          <LoadMore
            variant="subtle"
            fullWidth
            loading={list.isFetchingNextPage}
            onLoad={() => void list.fetchNextPage()}
          />
        )}
      </div>
      <footer className={classes.foot}>
        <Anchor component={Link} to={choices} size="sm" onClick={onClose}>
          {t('choices')}
        </Anchor>
      </footer>
    </>
  );
}
