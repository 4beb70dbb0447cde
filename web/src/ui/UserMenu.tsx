import { Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconLogout } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { languageNames, languages, type Language } from '../messages/locale';
import { useLocale } from '../messages/useLocale';
import classes from './UserMenu.module.css';

interface Props {
  name: string;
  email: string;
  role: string;
  /** Menu items of own pages. */
  links: ReactNode;
  onLanguage: (language: Language) => void;
  onLogout: () => void;
}

export function UserMenu({ name, email, role, links, onLanguage, onLogout }: Props) {
  const { t } = useTranslation('common');
  const { language } = useLocale();
  const initials = name
    .split(/\s+/)
    .map((word) => word[0] ?? '')
    .slice(0, 2)
    .join('');
  return (
    <Menu position="bottom-end" width={248}>
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={t('user_menu', { name })}>
          <span className={classes.initials} data-initials={initials} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who}>
          <strong>{name}</strong>
          <span>{email}</span>
          <span>{role}</span>
        </div>
        <Menu.Divider />
        {links}
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        {languages.map((choice) => (
          <Menu.Item
            key={choice}
            lang={choice}
            onClick={() => onLanguage(choice)}
            rightSection={choice === language && <IconCheck size={14} aria-hidden="true" />}
            aria-current={choice === language}
          >
            {languageNames[choice]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={onLogout}>
          {t('logout')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
