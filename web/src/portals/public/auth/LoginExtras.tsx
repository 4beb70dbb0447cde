import { Button } from '@mantine/core';
import { IconBrandGoogle, IconBrandWindows, IconMail, IconMessage, IconPhone } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { loadSettings } from '../../../api/publicSettings';
import { useSettings } from '../../../shared/settings/useSettings';
import { toast } from '../../../ui/toasts';
import { AppLink } from '../frame/AppLink';
import { redirectToProvider, providerIds, type Provider } from './provider';
import css from './LoginExtras.module.css';

const providers = [
  ['google', IconBrandGoogle],
  ['microsoft', IconBrandWindows],
] as const;

interface Props {
  portal: 'client' | 'iso';
  remember: boolean;
}

/** Links below the login forms: providers, sign-up and help. */
export function MemberExtras({ portal, remember }: Props) {
  const { t } = useTranslation('public');
  // Checks the settings on click, so the buttons are stable.
  const choose = async (provider: Provider) => {
    const settings = await loadSettings().catch(() => undefined);
    if (settings?.sign_in_providers.includes(providerIds[provider]))
      await redirectToProvider(provider, portal, remember);
    else toast({ title: t(`login.${provider}_soon`) });
  };
  return (
    <>
      <p className={css.or}>
        <span>{t('login.or')}</span>
      </p>
      <div className={css.pair}>
        {providers.map(([provider, Icon]) => (
          <Button
            key={provider}
            variant="default"
            leftSection={<Icon size={16} stroke={1.75} aria-hidden="true" />}
            onClick={() => void choose(provider)}
          >
            {t(`login.${provider}`)}
          </Button>
        ))}
      </div>
      <p className={css.account}>
        {t(`login.new.${portal}`)}{' '}
        <AppLink to={portal === 'iso' ? paths.signupFor('iso') : paths.signup}>
          {t(`login.create.${portal}`)}
        </AppLink>
      </p>
      {portal === 'iso' && <IsoHelp />}
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.portalSelector}>{t('login.switch')}</AppLink>
        <AppLink to={paths.help}>{t('login.help')}</AppLink>
      </nav>
    </>
  );
}

export function StaffExtras() {
  const { t } = useTranslation('public');
  return (
    <nav className={css.ways} aria-label={t('login.ways')}>
      <AppLink to={paths.portalSelector}>{t('login.back')}</AppLink>
    </nav>
  );
}

/** Only configured providers work. */
function IsoHelp() {
  const { t } = useTranslation('public');
  const settings = useSettings();
  const email = settings?.support_email;
  const phone = settings?.support_phone;
  if (!email && !phone) return null;
  return (
    <div className={css.trio}>
      {phone && (
        <Button
          component="a"
          href={`tel:${phone.replace(/[^+\d]/g, '')}`}
          variant="default"
          leftSection={<IconPhone size={16} />}
        >
          {t('login.call')}
        </Button>
      )}
      {email && (
        <Button component="a" href={`mailto:${email}`} variant="default" leftSection={<IconMail size={16} />}>
          {t('login.mail')}
        </Button>
      )}
      <Button
        renderRoot={(props) => <AppLink {...props} to={paths.contact} />}
        variant="default"
        leftSection={<IconMessage size={16} />}
      >
        {t('login.chat')}
      </Button>
    </div>
  );
}
