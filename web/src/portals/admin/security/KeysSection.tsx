import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actBody } from '../../../api/approvals';
import { api } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { components } from '../../../api/schema';
import { dateTime } from '../../../messages/format';
import { toastWaiting } from '../../../shared/approvals/waiting';
import { WaitingNote } from '../../../shared/approvals/WaitingNote';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { RelativeTime } from '../../../ui/DateText';
import { SettingsFooter, SettingsRow, SettingsSection, SettingsState } from '../../../ui/Settings';
import { Tag } from '../../../ui/Tag';
import { toast } from '../../../ui/toasts';
import classes from './security.module.css';

type SigningKeys = { items: components['schemas']['SigningKey'][] };

/** Signing keys of access tokens: age and rotation. */
export function KeysSection() {
  const { t } = useTranslation(['users', 'common']);
  const [asking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery(queries.keys());
  const rotate = useSave({
    save: () => actBody<SigningKeys>(api.POST('/rest/v1/keys/rotate', { body: {} })),
    invalidates: ['keys', 'approval'],
    onSaved: (rotated) => {
      setAsking(false);
      if (rotated) toast({ title: t('rules.rotated'), description: t('rules.rotated_text') });
      else toastWaiting();
    },
  });
  return (
    <SettingsSection title={t('rules.keys')} text={t('rules.keys_text')}>
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()}>
        {(keys) => (
          <>
            <WaitingNote act="rotate_keys" />
            <div role="list" aria-label={t('rules.keys')}>
              {keys.map((key) => (
                <div key={key.kid} role="listitem">
                  <SettingsRow
                    icon={<IconKey size={17} />}
                    title={<span className={classes.network}>{key.kid.slice(0, 12)}</span>}
                    tag={
                      <>
                        <Tag tone={key.signs ? 'live' : 'rest'}>
                          {key.signs ? t('rules.key_signs') : t('rules.key_accepted')}
                        </Tag>
                        <Tag tone="rest">{key.algorithm}</Tag>
                      </>
                    }
                    text={
                      key.made_at ? (
                        <>
                          {t('rules.key_made', { at: dateTime(key.made_at) })} (
                          <RelativeTime at={key.made_at} />)
                        </>
                      ) : (
                        t('rules.key_old')
                      )
                    }
                  />
                </div>
              ))}
            </div>
            <SettingsFooter>
              <Button variant="default" onClick={() => setAsking(true)}>
                {t('rules.rotate')}
              </Button>
            </SettingsFooter>
          </>
        )}
      </SettingsState>
      {asking && (
        <ConfirmDialog
          title={t('rules.rotate_title')}
          confirmLabel={t('rules.rotate')}
          busyLabel={t('common:saving')}
          busy={rotate.isPending}
          onConfirm={() => rotate.mutate(undefined)}
          onClose={() => setAsking(false)}
        >
          {t('rules.rotate_text')}
        </ConfirmDialog>
      )}
    </SettingsSection>
  );
}
