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
  /** Where this portal shows how the person signs in. */
  security: { path: string; label: string };
  /** Where the person chooses what to be told of. */
  choices: string;
  sidebarHasLogout?: boolean;
  /** Where the person chooses time zone, language and theme, where that is a page of its own. */
  preferences?: string;
  /** Where the clock of this portal stands, if not where the person's does; null while that is not known yet. */
  timeZone?: string | null;
}

/** The frame of one portal around its pages. Its route's loader is a guard, which answers who is signed in. */
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
  // Once for each choice: what is switched to here counts before the server has heard of it. `auto` takes back what an
  // account has set on this device, and leaves what was chosen here without one.
  const followed = useRef<Me['theme']>(undefined);
  useEffect(() => {
    // Whoever looks as somebody else keeps their own.
    if (me.impersonation || followed.current === me.theme) return;
    followed.current = me.theme;
    if (me.theme !== 'auto' || followsAccount()) setColorScheme(me.theme);
    setFollowsAccount(me.theme !== 'auto');
  }, [me.theme, me.impersonation, setColorScheme]);
  const choose = async (choice: MeChange) => {
    try {
      // Also when the page is left at once.
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
