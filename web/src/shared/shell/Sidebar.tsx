import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconLogout, IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { commandKey } from './keys';
import { useActiveItem, type NavCount, type NavGroup, type NavItem } from './navigation';
import classes from './Sidebar.module.css';

interface Props {
  /** Product name; the drawer has none. */
  brand?: ReactNode;
  /** Between brand and search, such as the logo of a company. */
  header?: ReactNode;
  groups: NavGroup[];
  /** Entries above Logout. */
  foot: NavItem[];
  collapsed?: boolean;
  onSearch: () => void;
  onLogout: () => void;
}

/** Sidebar of a portal; the drawer of a phone shows it too. */
export function Sidebar({ brand, header, groups, foot, collapsed = false, onSearch, onLogout }: Props) {
  const { t } = useTranslation(['shell', 'common']);
  const active = useActiveItem([...groups.flatMap((group) => group.items), ...foot]);
  const entry = (item: NavItem) => (
    <Hint key={item.to} label={item.label} shown={collapsed}>
      <Link className={classes.link} to={item.to} aria-current={item === active ? 'page' : undefined}>
        <item.icon className={classes.icon} size={16} stroke={1.75} aria-hidden="true" />
        <span className={classes.name}>{item.label}</span>
        {item.count && <Count of={item.count} />}
      </Link>
    </Hint>
  );
  return (
    <div className={classes.sidebar} data-collapsed={collapsed || undefined}>
      {brand && <div className={classes.brand}>{brand}</div>}
      {header}
      <Hint label={t('search.entry')} shown={collapsed}>
        <button
          type="button"
          className={classes.search}
          onClick={onSearch}
          aria-keyshortcuts="Control+K Meta+K"
        >
          <IconSearch className={classes.icon} size={15} stroke={1.75} aria-hidden="true" />
          <span className={classes.name}>{t('search.entry')}</span>
          <kbd className={classes.keys} aria-hidden="true">
            {commandKey('K')}
          </kbd>
        </button>
      </Hint>
      <div className={classes.groups}>
        {groups.map((group) => (
          <div key={group.label} className={classes.group} role="group" aria-label={group.label}>
            <p className={classes.label} aria-hidden="true">
              {group.label}
            </p>
            {group.items.map(entry)}
          </div>
        ))}
      </div>
      <div className={classes.foot}>
        {foot.map(entry)}
        <Hint label={t('common:logout')} shown={collapsed}>
          <UnstyledButton className={classes.link} onClick={onLogout}>
            <IconLogout className={classes.icon} size={16} stroke={1.75} aria-hidden="true" />
            <span className={classes.name}>{t('common:logout')}</span>
          </UnstyledButton>
        </Hint>
      </div>
    </div>
  );
}

/** Tooltip of an entry that shows its icon only. */
function Hint({ label, shown, children }: { label: string; shown: boolean; children: React.ReactElement }) {
  if (!shown) return children;
  return (
    <Tooltip label={label} position="right" openDelay={150}>
      {children}
    </Tooltip>
  );
}

function Count({ of: { value, label, overdue } }: { of: NavCount }) {
  if (value === 0) return null;
  return (
    <span className={classes.count} data-overdue={overdue || undefined}>
      <span aria-hidden="true">
        {value > 99 ? '99+' : value}
        {overdue && '!'}
      </span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
