import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import classes from './BottomBar.module.css';
import { useActiveItem, type NavGroup } from './navigation';

/** The four most used entries at the bottom of a phone. */
export function BottomBar({ groups }: { groups: NavGroup[] }) {
  const { t } = useTranslation('shell');
  const items = groups.flatMap((group) => group.items);
  const active = useActiveItem(items);
  return (
    <nav className={classes.bar} aria-label={t('bottom_bar')}>
      {items
        .filter((item) => item.inBar)
        .map((item) => (
          <Link
            key={item.to}
            className={classes.link}
            to={item.to}
            aria-current={item === active ? 'page' : undefined}
          >
            <span className={classes.icon} data-marked={Boolean(item.count?.value) || undefined}>
              <item.icon size={20} stroke={1.5} aria-hidden="true" />
            </span>
            <span className={classes.name}>{item.short ?? item.label}</span>
          </Link>
        ))}
    </nav>
  );
}
