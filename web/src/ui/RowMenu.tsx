import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './RowMenu.module.css';

export interface RowAction {
  label: string;
  icon: ReactNode;
  danger?: boolean;
  onClick: () => void;
}

/** What can be done with a row. Nothing to do: what is there `otherwise`. */
export function RowMenu(row: { name: string; actions: RowAction[]; otherwise?: ReactNode }) {
  const { t } = useTranslation('common');
  const { name, ...menu } = row;
  return (
    <ActionMenu {...menu}>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('actions_of', { name })}>
        <IconDots size={16} />
      </ActionIcon>
    </ActionMenu>
  );
}

/**
 * The same behind a button of one's own. What can be done may change while it is open: what no longer can is disabled
 * then, and nothing moves under the hand of whoever is about to pick.
 */
export function ActionMenu(menu: { actions: RowAction[]; otherwise?: ReactNode; children: ReactElement }) {
  const { actions, otherwise, children } = menu;
  const [offered, setOffered] = useState<RowAction[] | null>(null);
  const shown = offered ?? actions;
  if (shown.length === 0) return otherwise;
  return (
    <Menu
      position="bottom-end"
      onOpen={() => setOffered(actions)}
      onExitTransitionEnd={() => setOffered(null)}
    >
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {shown.map(({ label, icon, danger }) => {
          const possible = actions.find((action) => action.label === label);
          return (
            <Menu.Item
              key={label}
              leftSection={icon}
              color={danger ? 'red' : undefined}
              // Not `disabled`: whoever is on it with the keyboard goes on from there.
              aria-disabled={!possible || undefined}
              className={classes.item}
              closeMenuOnClick={Boolean(possible)}
              onClick={possible?.onClick}
            >
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
