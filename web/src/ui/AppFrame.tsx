import { ActionIcon, Burger, Drawer, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './AppFrame.module.css';

interface Props {
  /** Product name, linked to the home page. */
  brand: ReactNode;
  portal: string;
  /** Sidebar links; none for a single page. */
  navigation?: ReactNode;
  /** Content between color scheme and user menu. */
  tools?: ReactNode;
  menu: ReactNode;
  /** Logout in the top bar; if the sidebar has it too, only while that is hidden. */
  logout: ReactNode;
  sidebarHasLogout?: boolean;
  /** Called when the scheme is toggled. */
  onScheme: (scheme: 'light' | 'dark') => void;
  children: ReactNode;
}

/** Layout of portal pages: top bar, sidebar and content. */
export function AppFrame({
  brand,
  portal,
  navigation,
  tools,
  menu,
  logout,
  onScheme,
  children,
  ...rest
}: Props) {
  const { t } = useTranslation('common');
  const [open, drawer] = useDisclosure(false);
  return (
    <div className={classes.frame} data-sidebar={Boolean(navigation)}>
      <a className={classes.skip} href="#content">
        {t('skip')}
      </a>
      <header className={classes.top}>
        {navigation && (
          <Burger
            className={classes.burger}
            size="sm"
            opened={open}
            onClick={drawer.toggle}
            aria-label={t('open_navigation')}
          />
        )}
        <div className={classes.brand}>{brand}</div>
        <span className={classes.portal}>{portal}</span>
        <div className={classes.tools}>
          <SchemeToggle onScheme={onScheme} />
          {tools}
          {menu}
          <div className={classes.logout} data-doubled={rest.sidebarHasLogout}>
            {logout}
          </div>
        </div>
      </header>
      {navigation && (
        <>
          <nav className={classes.sidebar} aria-label={t('navigation')}>
            {navigation}
          </nav>
          <Drawer
            opened={open}
            onClose={drawer.close}
            size={260}
            title={portal}
            closeButtonProps={{ 'aria-label': t('close') }}
          >
            <nav aria-label={t('navigation')} onClick={drawer.close}>
              {navigation}
            </nav>
          </Drawer>
        </>
      )}
      <main id="content" className={classes.main} tabIndex={-1}>
        <div className={classes.content}>{children}</div>
      </main>
    </div>
  );
}

function SchemeToggle({ onScheme }: Pick<Props, 'onScheme'>) {
  const { t } = useTranslation('common');
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={32}
      aria-label={dark ? t('scheme.light') : t('scheme.dark')}
      onClick={() => {
        const scheme = dark ? 'light' : 'dark';
        setColorScheme(scheme);
        onScheme(scheme);
      }}
    >
      {dark ? <IconSun size={18} stroke={1.5} /> : <IconMoon size={18} stroke={1.5} />}
    </ActionIcon>
  );
}
