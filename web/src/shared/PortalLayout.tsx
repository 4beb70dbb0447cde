import './allStyles';
import { Menu, Tooltip, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustments, IconBell, IconShieldLock, IconUserCog } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLoaderData, useLocation } from 'react-router-dom';
import { queryClient } from '../api/cache';
import { api, body } from '../api/client';
import { errorText } from '../api/errors';
import { queries } from '../api/queries';
import type { Me, MeChange } from '../api/types';
import { setLanguage, setLocale, type Language } from '../messages/locale';
import { ActivitySkeleton } from '../ui/ActivityList';
import { AppFrame } from '../ui/AppFrame';
import { Logo } from '../ui/Logo';
import { PageFrameContext } from '../ui/pageFrame';
import { loadToasts, toast } from '../ui/toasts';
import { UserMenu } from '../ui/UserMenu';
import { followsAccount, setFollowsAccount } from './colorSchemeSource';
import { useAppliedLocale } from './session/applyPreferences';
import { Bell } from './notifications/Bell';
import { useLogout } from './session/logout';
import { MeContext } from './session/me';
import { BottomBar } from './shell/BottomBar';
import type { NavGroup, NavItem } from './shell/navigation';
import { Palette, type Command, type SearchSource } from './shell/Palette';
import { addRecentPage } from './shell/recentPages';
import { ShortcutSheet } from './shell/ShortcutSheet';
import { Sidebar } from './shell/Sidebar';
import { toggleSidebar, useSidebarCollapsed } from './shell/sidebarState';
import { useShellKeys } from './shell/useShellKeys';
import { UnsavedGuard } from './UnsavedGuard';
import classes from './PortalLayout.module.css';

interface Props {
  portal: string;
  home: string;
  /** Entries of the sidebar. */
  groups: NavGroup[];
  /** Between brand and search in the sidebar. */
  sidebarHeader?: ReactNode;
  /** Commands of the palette that create something. */
  create: Command[];
  /** Search of the palette, in what this role may see. */
  SearchSource: SearchSource;
  searchLabel: string;
  /** Security page of this portal. */
  security: { path: string; label: string };
  /** Notification preferences of this portal. */
  choices: string;
  /** Preferences page, if the portal has one. */
  preferences?: string;
  /** A page of the sidebar includes the account settings. */
  hasProfile?: boolean;
  /** Time zone of the portal if it differs from that of the user; null while loading. */
  timeZone?: string | null;
}

/** Layout of a portal. The route loader is a guard and returns the user. */
export function PortalLayout({
  portal,
  home,
  groups,
  sidebarHeader,
  create,
  SearchSource,
  searchLabel,
  security,
  choices,
  preferences,
  hasProfile = false,
  timeZone,
}: Props) {
  const { t } = useTranslation(['common', 'names', 'notifications', 'shell']);
  const admitted = useLoaderData<Me>();
  const me = useQuery(queries.me()).data ?? admitted;
  const { data: settings } = useQuery(queries.settings());
  const brandName = settings?.brand_name ?? t('brand');

  const logout = useLogout();
  const { setColorScheme } = useMantineColorScheme();
  const ready = useAppliedLocale(me, timeZone === undefined ? me.time_zone : timeZone);
  const officeZone = settings?.time_zone;
  useEffect(() => {
    if (officeZone) setLocale({ officeTimeZone: officeZone });
  }, [officeZone]);
  // Applied once per choice: a local toggle wins until the server has stored it. `auto` reverts a scheme set by an
  // account, and keeps one chosen on this device.
  const followed = useRef<Me['theme']>(undefined);
  useEffect(() => {
    // Not during impersonation.
    if (me.impersonation || followed.current === me.theme) return;
    followed.current = me.theme;
    if (me.theme !== 'auto' || followsAccount()) setColorScheme(me.theme);
    setFollowsAccount(me.theme !== 'auto');
  }, [me.theme, me.impersonation, setColorScheme]);
  const choose = async (choice: MeChange) => {
    try {
      // Saved even if the page is left immediately.
      const chosen = await body(api.PATCH('/rest/v1/me', { body: choice, keepalive: true }));
      queryClient.setQueryData(queries.me().queryKey, chosen);
    } catch (error) {
      toast({ title: t('error'), description: errorText(error), destructive: true });
    }
  };
  const chooseLanguage = async (language: Language) => {
    await setLanguage(language);
    await choose({ language });
  };

  useEffect(() => {
    loadToasts().catch(() => undefined);
  }, []);

  const [trailSlot, setTrailSlot] = useState<HTMLElement | null>(null);
  const onPage = usePageTitle(me, brandName);
  const frame = useMemo(() => ({ trailSlot, onPage }), [trailSlot, onPage]);
  const collapsed = useSidebarCollapsed();
  const [isPaletteOpen, palette] = useDisclosure(false);
  const [isSheetOpen, sheet] = useDisclosure(false);
  const account: NavItem = {
    to: security.path,
    label: t('shell:account'),
    icon: IconUserCog,
    covers: [choices, ...(preferences ? [preferences] : [])].map((path) => path.split('?')[0] ?? path),
  };
  const foot = hasProfile ? [] : [account];
  const items = [...groups.flatMap((group) => group.items), ...foot];
  useShellKeys({ items, onPalette: palette.toggle, onSheet: sheet.open, onSidebar: toggleSidebar });
  const brand = (
    <Link className={classes.brand} to={home}>
      {settings?.logo ? <img className={classes.logo} src={settings.logo} alt="" /> : <Logo />}
      <span className={classes.name}>{brandName}</span>
    </Link>
  );
  const sidebar = (isCollapsed: boolean, isDrawer = false) => (
    <Sidebar
      brand={isDrawer ? undefined : brand}
      header={sidebarHeader}
      groups={groups}
      foot={foot}
      collapsed={isCollapsed}
      onSearch={palette.open}
      onLogout={() => void logout()}
    />
  );

  return (
    <MeContext value={me}>
      <PageFrameContext value={frame}>
        <Tooltip.Group openDelay={700} closeDelay={300}>
          <AppFrame
            portal={portal}
            onScheme={(theme) => void choose({ theme })}
            sidebar={sidebar(collapsed)}
            drawer={sidebar(false, true)}
            bottomBar={<BottomBar groups={groups} />}
            collapsed={collapsed}
            onCollapse={toggleSidebar}
            onSearch={palette.open}
            trailRef={setTrailSlot}
            brand={brand}
            tools={<Bell choices={choices} />}
            menu={
              <UserMenu
                name={`${me.first_name} ${me.last_name}`}
                email={me.email}
                role={t(`names:role.${me.role}`)}
                links={
                  <>
                    <Menu.Item component={Link} to={security.path} leftSection={<IconShieldLock size={15} />}>
                      {security.label}
                    </Menu.Item>
                    {preferences && (
                      <Menu.Item
                        component={Link}
                        to={preferences}
                        leftSection={<IconAdjustments size={15} />}
                      >
                        {t('preferences')}
                      </Menu.Item>
                    )}
                    <Menu.Item component={Link} to={choices} leftSection={<IconBell size={15} />}>
                      {t('notifications:menu')}
                    </Menu.Item>
                  </>
                }
                onLanguage={(language) => void chooseLanguage(language)}
                onLogout={() => void logout()}
              />
            }
          >
            {/* Another account, signed in by another tab: open dialogs of the former one are closed. */}
            {ready ? <Outlet key={me.id} /> : <ActivitySkeleton />}
            <UnsavedGuard />
          </AppFrame>
          <Palette
            opened={isPaletteOpen}
            onClose={palette.close}
            items={items}
            create={create}
            userId={me.id}
            Source={SearchSource}
            searchLabel={searchLabel}
            onSheet={sheet.open}
          />
          <ShortcutSheet opened={isSheetOpen} items={items} onClose={sheet.close} />
        </Tooltip.Group>
      </PageFrameContext>
    </MeContext>
  );
}

/** Sets the document title, and remembers records for the palette. */
function usePageTitle(me: Me, brand: string) {
  const { pathname } = useLocation();
  const isOwn = !me.impersonation;
  return useCallback(
    (title: string, isRecord: boolean) => {
      document.title = `${title} · ${brand}`;
      if (isRecord && isOwn) addRecentPage(me.id, { path: pathname, title });
    },
    [brand, isOwn, me.id, pathname],
  );
}
