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

/** An action that is shown although it is not possible now, with the reason. */
export interface RefusedAction {
  label: string;
  icon: ReactNode;
  reason: string;
}

/** Row action menu; `otherwise` is shown without actions. */
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
 * Action menu behind a custom button. Actions that become unavailable while open are disabled, so nothing moves under
 * the pointer.
 */
export function ActionMenu(menu: {
  actions: RowAction[];
  refused?: RefusedAction[];
  otherwise?: ReactNode;
  children: ReactElement;
}) {
  const { actions, refused = [], otherwise, children } = menu;
  const [offered, setOffered] = useState<RowAction[] | null>(null);
  const shown = offered ?? actions;
  if (shown.length + refused.length === 0) return otherwise;
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
              // Not `disabled`, which would lose keyboard focus.
              aria-disabled={!possible || undefined}
              className={classes.item}
              closeMenuOnClick={Boolean(possible)}
              onClick={possible?.onClick}
            >
              {label}
            </Menu.Item>
          );
        })}
        {refused.map(({ label, icon, reason }) => (
          <Menu.Item
            key={label}
            leftSection={icon}
            aria-disabled
            className={classes.refused}
            closeMenuOnClick={false}
          >
            {label}
            <span className={classes.reason}>{reason}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
