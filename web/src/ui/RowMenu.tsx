import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
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

/** The same behind a button of one's own. */
export function ActionMenu({ actions, children }: { actions: RowAction[]; children: ReactElement }) {
  if (actions.length === 0) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item
            key={action.label}
            leftSection={action.icon}
            color={action.danger ? 'red' : undefined}
            onClick={action.onClick}
          >
            {action.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
