import { Button } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { dateTime } from '../../messages/format';
import { RelativeTime } from '../../ui/DateText';
import { SettingsFooter, SettingsRow, SettingsSection, SettingsState } from '../../ui/Settings';
import { Tag } from '../../ui/Tag';
import { EndSessions, type SignOutScope } from './EndSessions';
import { accountQueries, type Session } from './accountQueries';

/** Initial number of sessions. */
const INITIAL_LIMIT = 6;

export function SessionsSection() {
  const { t } = useTranslation(['security', 'common']);
  const [ending, setEnding] = useState<SignOutScope>();
  const [everything, setEverything] = useState(false);
  const { data, error, refetch } = useQuery({ ...accountQueries.sessions(), select: currentFirst });
  return (
    <SettingsSection title={t('sessions.title')} text={t('sessions.text')}>
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()} rows={2}>
        {(sessions) => (
          <>
            <div role="list" aria-label={t('sessions.list')}>
              {sessions.slice(0, everything ? undefined : INITIAL_LIMIT).map((session) => (
                <SessionRow key={session.id} session={session} onEnd={() => setEnding(session)} />
              ))}
            </div>
            <SettingsFooter>
              {sessions.length > INITIAL_LIMIT && !everything && (
                <Button variant="subtle" mr="auto" onClick={() => setEverything(true)}>
                  {t('sessions.more', { count: sessions.length - INITIAL_LIMIT })}
                </Button>
              )}
              {sessions.some((session) => !session.current) && (
                <Button variant="default" onClick={() => setEnding('others')}>
                  {t('sessions.end_others')}
                </Button>
              )}
              <Button variant="outline" color="red" onClick={() => setEnding('all')}>
                {t('sessions.end_all')}
              </Button>
            </SettingsFooter>
          </>
        )}
      </SettingsState>
      {ending && <EndSessions which={ending} onClose={() => setEnding(undefined)} />}
    </SettingsSection>
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { t } = useTranslation('security');
  const device = session.device ?? t('sessions.unknown');
  const mobile = /Android|iPhone|iPad|Mobile/i.test(session.user_agent ?? '');
  return (
    <div role="listitem">
      <SettingsRow
        icon={mobile ? <IconDeviceMobile size={17} /> : <IconDeviceDesktop size={17} />}
        title={device}
        tag={
          <>
            {session.current && <Tag tone="live">{t('sessions.this')}</Tag>}
            {session.aal === 'aal2' && <Tag tone="rest">{t('sessions.aal2')}</Tag>}
          </>
        }
        text={
          <>
            {session.address && <span className="num">{session.address} · </span>}
            {t('sessions.last_used')} <RelativeTime at={session.last_used_at} />
            {' · '}
            {t('sessions.signed_in', { at: dateTime(session.created_at) })}
            {session.begun_by && ` · ${t('sessions.begun_by', { name: session.begun_by })}`}
          </>
        }
        actions={
          !session.current && (
            <Button variant="default" aria-label={t('sessions.end_of', { device })} onClick={onEnd}>
              {t('sessions.end')}
            </Button>
          )
        }
      />
    </div>
  );
}

function currentFirst(sessions: Session[]): Session[] {
  return sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
}
