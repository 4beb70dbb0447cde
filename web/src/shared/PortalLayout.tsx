import { Menu, useMantineColorScheme } from '@mantine/core';
import { IconAdjustments, IconBell, IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLoaderData } from 'react-router-dom';
import { queryClient } from '../api/cache';
import { api, body } from '../api/client';
import { errorText } from '../api/errors';
import { queries } from '../api/queries';
import type { Me, MeChange } from '../api/types';
import { setLanguage, setLocale, type Language } from '../messages/locale';
import { ActivitySkeleton } from '../ui/ActivityList';
import { AppFrame } from '../ui/AppFrame';
import { Logo } from '../ui/Logo';
import { LogoutButton } from '../ui/LogoutButton';
import { toast } from '../ui/toasts';
import { UserMenu } from '../ui/UserMenu';
import { followsAccount, setFollowsAccount } from './colorSchemeSource';
import { useAppliedLocale } from './session/applyPreferences';
import { Bell } from './notifications/Bell';
import { useLogout } from './session/logout';
import { MeContext } from './session/me';
import { UnsavedGuard } from './UnsavedGuard';
import classes from './PortalLayout.module.css';

interface Props {
  portal: string;
  home: string;
  navigation?: ReactNode;
  /** Security page of this portal. */
  security: { path: string; label: string };
  /** Notification preferences of this portal. */
  choices: string;
  sidebarHasLogout?: boolean;
  /** Preferences page, if the portal has one. */
  preferences?: string;
  /** Time zone of the portal if it differs from that of the user; null while loading. */
  timeZone?: string | null;
}

/** Layout of a portal. The route loader is a guard and returns the user. */
export function PortalLayout({
  portal,
  home,
  navigation,
  security,
  choices,
  preferences,
  timeZone,
  sidebarHasLogout,
}: Props) {
  const { t } = useTranslation(['common', 'names', 'notifications']);
  const admitted = useLoaderData<Me>();
  const me = useQuery(queries.me()).data ?? admitted;
  const { data: settings } = useQuery(queries.settings());
  const brand = settings?.brand_name;

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

  return (
    <MeContext value={me}>
      <AppFrame
        portal={portal}
        onScheme={(theme) => void choose({ theme })}
        navigation={navigation}
        brand={
          <Link className={classes.brand} to={home}>
            {settings?.logo ? <img className={classes.logo} src={settings.logo} alt="" /> : <Logo />}
            {brand ?? t('brand')}
          </Link>
        }
        tools={<Bell choices={choices} />}
        logout={<LogoutButton onLogout={() => void logout()} />}
        sidebarHasLogout={sidebarHasLogout}
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
                  <Menu.Item component={Link} to={preferences} leftSection={<IconAdjustments size={15} />}>
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
        {ready ? <Outlet /> : <ActivitySkeleton />}
        <UnsavedGuard />
      </AppFrame>
    </MeContext>
  );
}
