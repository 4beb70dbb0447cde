import { Anchor, Skeleton, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Request, RequestDesk } from '../../../api/types';
import { number } from '../../../messages/format';
import { paths } from '../../../paths';
import { priorities, priorityTone } from '../../../shared/requests/quickRequestKinds';
import { Section } from '../../../ui/Section';
import { Tag } from '../../../ui/Tag';
import { RequestDueDate } from './RequestDueDate';
import classes from './PriorityQueue.module.css';

type Queue = RequestDesk['queue'][number];

/** Most urgent requests by priority; undefined while loading. */
export function PriorityQueue({ queue }: { queue: Queue[] | undefined }) {
  const { t } = useTranslation(['requests', 'names']);
  return (
    <Section title={t('desk.queue')} flush>
      <div className={classes.queue}>
        {priorities.map((priority) => {
          const of = queue?.find((one) => one.priority === priority);
          return (
            <section
              key={priority}
              className={classes.lane}
              aria-label={t(`names:request_priority.${priority}`)}
            >
              <div className={classes.head}>
                <Tag tone={priorityTone[priority]}>{t(`names:request_priority.${priority}`)}</Tag>
                {of && (
                  <Text size="xs" c="dimmed" className="num">
                    {t('desk.open_count', { count: of.open, number: number(of.open) })}
                    {of.overdue > 0 && ` · ${t('desk.overdue_count', { count: of.overdue })}`}
                  </Text>
                )}
              </div>
              {!of && <PriorityQueueSkeleton />}
              {of?.requests.length === 0 && (
                <Text size="sm" c="dimmed">
                  {t('desk.lane_empty')}
                </Text>
              )}
              {of && of.requests.length > 0 && (
                <ul className={classes.list}>
                  {of.requests.map((request) => (
                    <WaitingTime key={request.id} request={request} />
                  ))}
                </ul>
              )}
              {of && of.open > of.requests.length && (
                <Anchor
                  component={Link}
                  to={`${paths.requestManagement}?${new URLSearchParams({ status: 'open', priority, order: 'due_at' })}`}
                  size="xs"
                  preventScrollReset
                  aria-label={t('desk.all_of', { priority: t(`names:request_priority.${priority}`) })}
                >
                  {t('desk.all')}
                </Anchor>
              )}
            </section>
          );
        })}
      </div>
    </Section>
  );
}

function WaitingTime({ request }: { request: Request }) {
  const { t } = useTranslation('names');
  return (
    <li>
      <div className={classes.line}>
        <Anchor component={Link} to={paths.request(request.id)} className={classes.name}>
          {request.name}
        </Anchor>
        <RequestDueDate request={request} />
      </div>
      <Text size="xs" c="dimmed" truncate>
        {t(`request_kind.${request.kind}`)} · <span className="mono">{request.reference}</span>
      </Text>
    </li>
  );
}

/** As high as a full lane. */
function PriorityQueueSkeleton() {
  return (
    <div className={classes.list} aria-hidden="true">
      {['90%', '70%', '80%', '75%', '85%'].map((width) => (
        <Skeleton key={width} height={38} width={width} />
      ))}
    </div>
  );
}
