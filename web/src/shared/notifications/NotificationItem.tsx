import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Notification, Role } from '../../api/types';
import { RelativeTime } from '../../ui/DateText';
import { Prose } from '../../ui/Prose';
import { activityText } from '../activity/activityText';
import classes from './Bell.module.css';
import { notificationPath } from './target';

interface Props {
  notification: Notification;
  role: Role;
  onOpen: () => void;
}

/** One notification with a link to its subject. */
export function NotificationItem({ notification, role, onOpen }: Props) {
  const { t } = useTranslation(['notifications', 'events', 'names']);
  const { activity, read_at, topic } = notification;
  return (
    <li>
      <Link
        className={classes.item}
        data-unread={read_at === null}
        to={notificationPath(role, activity)}
        onClick={onOpen}
      >
        <span className={classes.text}>
          {read_at === null && <span className="sr-only">{t('unread')} </span>}
          <Prose>{activityText(t, activity)}</Prose>
        </span>
        <span className={classes.facts}>
          {t(`topic.${topic}`)} · <RelativeTime inside at={activity.at} />
        </span>
      </Link>
    </li>
  );
}
