import { ActionIcon, Burger, Drawer, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLayoutSidebar, IconMoon, IconSearch, IconSun } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './AppFrame.module.css';

interface Props {
  /** Product name, linked to the home page: in the top bar of a phone. */
  brand: ReactNode;
  portal: string;
  sidebar: ReactNode;
  /** Sidebar of small screens, with its full labels. */
  drawer: ReactNode;
  bottomBar: ReactNode;
  collapsed: boolean;
  onCollapse: () => void;
  onSearch: () => void;
  /** Receives the element that the breadcrumb is rendered into. */
  trailRef: (element: HTMLElement | null) => void;
  /** Content between color scheme and user menu. */
  tools?: ReactNode;
  menu: ReactNode;
  /** Called when the scheme is toggled. */
  onScheme: (scheme: 'light' | 'dark') => void;
  children: ReactNode;
}

/** Layout of portal pages: sidebar, top bar and content. */
export function AppFrame({
  brand,
  portal,
  sidebar,
  drawer,
  bottomBar,
  collapsed,
  onCollapse,
  onSearch,
  trailRef,
  tools,
  menu,
  onScheme,
  children,
}: Props) {
  const { t } = useTranslation(['common', 'shell']);
  const [open, drawerState] = useDisclosure(false);
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href="#content">
        {t('skip')}
      </a>
      <nav className={classes.sidebar} aria-label={t('navigation')}>
        {sidebar}
      </nav>
      <header className={classes.top}>
        <Burger
          className={classes.burger}
          size="sm"
          opened={open}
          onClick={drawerState.toggle}
          aria-label={t('open_navigation')}
        />
        <ActionIcon
          className={classes.collapse}
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t('shell:sidebar.collapse')}
          aria-pressed={collapsed}
          aria-keyshortcuts="["
          onClick={onCollapse}
        >
          <IconLayoutSidebar size={17} stroke={1.5} />
        </ActionIcon>
        <div className={classes.trail} ref={trailRef} />
        <div className={classes.brand}>{brand}</div>
        <span className={classes.portal}>{portal}</span>
        <div className={classes.tools}>
          <ActionIcon
            className={classes.search}
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('shell:search.entry')}
            onClick={onSearch}
          >
            <IconSearch size={18} stroke={1.5} />
          </ActionIcon>
          <SchemeToggle onScheme={onScheme} />
          {tools}
          {menu}
        </div>
      </header>
      <Drawer
        opened={open}
        onClose={drawerState.close}
        size={280}
        title={portal}
        classNames={{ body: classes.drawer }}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <nav aria-label={t('navigation')} onClick={drawerState.close}>
          {drawer}
        </nav>
      </Drawer>
      <main id="content" className={classes.main} tabIndex={-1}>
        <div className={classes.content}>{children}</div>
      </main>
      {bottomBar}
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
