import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface RowAction {
  label: string;
  icon: ReactNode;
  danger?: boolean;
  onClick: () => void;
}

/** What can be done with a row. Nothing to do: no menu. */
export function RowMenu({ name, actions }: { name: string; actions: RowAction[] }) {
  const { t } = useTranslation('common');
  return (
    <ActionMenu actions={actions}>
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
export function ActionMenu({ actions, children }: { actions: RowAction[]; children: ReactElement }) {
  const [offered, setOffered] = useState<RowAction[] | null>(null);
  const shown = offered ?? actions;
  if (shown.length === 0) return null;
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
              // Not `disabled`: whoever is on it with the keyboard stays in the menu.
              aria-disabled={!possible || undefined}
              data-disabled={!possible || undefined}
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
