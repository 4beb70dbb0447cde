import { useLandingMessages } from '../../../../messages/landingMessages';
import { Status } from './Status';
import css from './previews.module.css';

const orders = [
  { identifier: 'order_1', status: 'active', percent: 75, phase: 'review_phase' },
  { identifier: 'order_2', status: 'pending', percent: 30, phase: 'initial_phase' },
] as const;

const actions = ['new_order', 'upload', 'support'] as const;

export function ClientPreview() {
  const t = useLandingMessages();
  return (
    <div className={css.split}>
      <div className={css.block}>
        <h3>{t('preview.orders')}</h3>
        <ul className={css.orders}>
          {orders.map(({ identifier, status, percent, phase }) => {
            const name = t(`preview.${identifier}`);
            return (
              <li key={identifier}>
                <span className={css.identifier}>{name}</span>
                <Status status={status} />
                <progress
                  max={100}
                  value={percent}
                  aria-label={t('preview.progress', { identifier: name, percent })}
                />
                <span className={css.phase}>{t(`preview.${phase}`)}</span>
                <span className={css.percent}>{percent}%</span>
              </li>
            );
          })}
        </ul>
      </div>
      <div className={css.block}>
        <h3>{t('preview.quick_actions')}</h3>
        <ul className={css.actions}>
          {actions.map((action) => (
            <li key={action}>{t(`preview.${action}`)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
