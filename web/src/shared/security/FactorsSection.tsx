import type { Factor } from '@supabase/auth-js';
import { Button } from '@mantine/core';
import { IconDeviceMobile, IconKey, IconShieldOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { dateTime } from '../../messages/format';
import { RelativeTime } from '../../ui/DateText';
import { SettingsFooter, SettingsRow, SettingsSection, SettingsState } from '../../ui/Settings';
import { Tag } from '../../ui/Tag';
import { AddAuthenticator } from './AddAuthenticator';
import { RecoveryCodesRow } from './RecoveryCodesRow';
import { accountQueries, countFactors, hasSecondFactor, verifiedApps } from './accountQueries';
import { RemoveAuthenticator } from './RemoveAuthenticator';
import { useStepUp } from './StepUp';

export function FactorsSection() {
  const { t } = useTranslation('security');
  const stepUp = useStepUp();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Factor>();
  const { data, error, refetch } = useQuery(accountQueries.user());
  const apps = data && verifiedApps(data);
  const isOn = hasSecondFactor(data);
  const byPasskey = isOn && apps?.length === 0;
  const add = () => stepUp(() => setAdding(true));
  return (
    <SettingsSection
      title={t('totp.title')}
      text={t('totp.text')}
      tag={apps && <Tag tone={isOn ? 'live' : 'rest'}>{t(isOn ? 'totp.on' : 'totp.off')}</Tag>}
    >
      <SettingsState data={apps} error={error && errorText(error)} retry={() => void refetch()}>
        {(all) =>
          !isOn ? (
            <SettingsRow
              icon={<IconShieldOff size={17} />}
              title={t('totp.none')}
              text={t('totp.none_text')}
              actions={<Button onClick={add}>{t('totp.enable')}</Button>}
            />
          ) : (
            <>
              {byPasskey && (
                <SettingsRow
                  icon={<IconKey size={17} />}
                  title={t('passkeys.by_passkey')}
                  text={t('passkeys.by_passkey_text')}
                />
              )}
              {all.map((app) => (
                <AuthenticatorRow key={app.id} app={app} onRemove={() => stepUp(() => setRemoving(app))} />
              ))}
              <RecoveryCodesRow />
              <SettingsFooter>
                <Button variant="default" onClick={add}>
                  {t(byPasskey ? 'totp.add_first' : 'totp.add')}
                </Button>
              </SettingsFooter>
            </>
          )
        }
      </SettingsState>
      {adding && <AddAuthenticator first={!isOn} onClose={() => setAdding(false)} />}
      {removing && (
        <RemoveAuthenticator
          app={removing}
          last={countFactors(data) === 1}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </SettingsSection>
  );
}

function AuthenticatorRow({ app, onRemove }: { app: Factor; onRemove: () => void }) {
  const { t } = useTranslation('security');
  const name = app.friendly_name || t('totp.default_name');
  const added = t('totp.added', { date: dateTime(app.created_at) });
  return (
    <SettingsRow
      icon={<IconDeviceMobile size={17} />}
      title={name}
      text={
        <>
          {added}
          {app.last_challenged_at && (
            <>
              {' · '}
              {t('totp.last_used')} <RelativeTime at={app.last_challenged_at} />
            </>
          )}
        </>
      }
      actions={
        <Button variant="default" aria-label={t('totp.remove_of', { name })} onClick={onRemove}>
          {t('totp.remove')}
        </Button>
      }
    />
  );
}
