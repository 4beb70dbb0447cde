import { Anchor } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Activity } from '../../api/types';
import { ActivityList, ActivitySkeleton } from '../../ui/ActivityList';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { subjectPath } from '../notifications/target';
import { useMe } from '../session/me';
import { activityText } from './activityText';

interface Props {
  /** Undefined while loading. */
  activity: Activity[] | undefined;
  /** Link to all entries. */
  all?: string;
  /** Custom title. */
  title?: string;
  /** Number of entries to show; a collapsed run counts as one. */
  max?: number;
}

/** Latest events, updated live. */
export function RecentActivity({ activity, all, title, max }: Props) {
  const { t } = useTranslation(['common', 'events', 'names']);
  return (
    <Section
      title={title ?? t('activity.title')}
      actions={
        all && (
          <Anchor component={Link} to={all} size="sm" aria-label={t('activity.view_all_of')}>
            {t('activity.view_all')}
          </Anchor>
        )
      }
    >
      {!activity && <ActivitySkeleton rows={5} />}
      {activity?.length === 0 && <EmptyState icon={<IconHistory size={20} />} title={t('activity.empty')} />}
      {activity && activity.length > 0 && (
        <ActivityList
          max={max}
          entries={activity.map((one) => ({
            id: one.id,
            at: one.at,
            action: one.action,
            text: <ActivityEntry activity={one} />,
          }))}
        />
      )}
    </Section>
  );
}

/** One event with a link to its subject. */
function ActivityEntry({ activity }: { activity: Activity }) {
  const { t } = useTranslation(['events', 'names']);
  const place = subjectPath(useMe().role, activity);
  const text = activityText(t, activity);
  if (!place) return text;
  return (
    <Anchor component={Link} to={place} fz="inherit" c="inherit" underline="hover">
      {text}
    </Anchor>
  );
}
