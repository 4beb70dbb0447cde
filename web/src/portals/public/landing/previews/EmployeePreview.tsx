import { useLandingMessages } from '../../../../messages/landingMessages';
import css from './previews.module.css';

const activities = ['activity_1', 'activity_2', 'activity_3'] as const;

const tasks = [
  ['task_1', 'done'],
  ['task_2', 'open'],
  ['task_3', 'open'],
] as const;

export function EmployeePreview() {
  const t = useLandingMessages();
  const figures = [
    ['total_clients', '248'],
    ['active_spvs', '86'],
    ['pending_reviews', '12'],
    ['revenue', t('preview.revenue_figure')],
  ] as const;
  return (
    <>
      <dl className={css.figures}>
        {figures.map(([name, figure]) => (
          <div key={name}>
            <dt>{t(`preview.${name}`)}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
      <div className={css.split}>
        <div className={css.block}>
          <h3>{t('preview.activities')}</h3>
          <ul className={css.rows}>
            {activities.map((activity) => (
              <li key={activity}>
                <span>{t(`preview.${activity}`)}</span>
                <span className={css.when}>{t(`preview.${activity}_when`)}</span>
              </li>
            ))}
          </ul>
        </div>
        <div className={css.block}>
          <h3>{t('preview.tasks')}</h3>
          <ul className={css.tasks}>
            {tasks.map(([task, state]) => (
              <li key={task} data-state={state}>
                <span className={css.box} role="img" aria-label={t(`preview.${state}`)} />
                <span>{t(`preview.${task}`)}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </>
  );
}
