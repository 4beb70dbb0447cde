import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { dateTime } from '../../../messages/format';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { RelativeTime } from '../../../ui/DateText';
import { SettingsFooter, SettingsRow, SettingsSection, SettingsState } from '../../../ui/Settings';
import { Tag } from '../../../ui/Tag';
import { toast } from '../../../ui/toasts';
import classes from './security.module.css';

/** Signing keys of access tokens: age and rotation. */
export function KeysSection() {
  const { t } = useTranslation(['users', 'common']);
  const [asking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery(queries.keys());
  const rotate = useSave({
    save: () => body(api.POST('/rest/v1/keys/rotate', { body: {} })),
    invalidates: 'keys',
    onSaved: () => {
      setAsking(false);
      toast({ title: t('rules.rotated'), description: t('rules.rotated_text') });
    },
  });
  return (
    <SettingsSection title={t('rules.keys')} text={t('rules.keys_text')}>
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()}>
        {(keys) => (
          <>
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
