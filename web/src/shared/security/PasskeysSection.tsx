import { Button } from '@mantine/core';
import { IconCloudLock, IconDeviceLaptop, IconKey, IconUsb } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { errorText } from '../../api/errors';
import { dateTime } from '../../messages/format';
import { RelativeTime } from '../../ui/DateText';
import { SettingsFooter, SettingsRow, SettingsSection, SettingsState } from '../../ui/Settings';
import { Tag } from '../../ui/Tag';
import { toast } from '../../ui/toasts';
import { addPasskey, PasskeyCancelled, usePasskeys } from '../auth/passkeys';
import { accountQueries, type Passkey } from './accountQueries';
import { withReauthentication } from './reauthentication';
import { RemovePasskey } from './RemovePasskey';
import { RenamePasskey } from './RenamePasskey';
import { useStepUp } from './StepUp';

const icons = { synced: IconCloudLock, device: IconDeviceLaptop, security_key: IconUsb, unknown: IconKey };

/** Passkeys of the account. Hidden where browsers offer none and the account has none. */
export function PasskeysSection() {
  const { t } = useTranslation(['security', 'common']);
  const stepUp = useStepUp();
  const available = usePasskeys();
  const [renaming, setRenaming] = useState<Passkey>();
  const [removing, setRemoving] = useState<Passkey>();
  const { data, error, refetch } = useQuery(accountQueries.passkeys());
  const add = useMutation({
    mutationFn: () => withReauthentication(addPasskey),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: accountQueries.all });
      toast({ title: t('passkeys.added_title'), description: t('passkeys.added_text') });
    },
    onError: (failure) => {
      if (failure instanceof PasskeyCancelled) return;
      toast({ title: t('common:error'), description: errorText(failure), destructive: true });
    },
  });
  const button = (
    <Button disabled={add.isPending} onClick={() => stepUp(() => add.mutate())}>
      {t('passkeys.add')}
    </Button>
  );
  if (!available && (!data || data.length === 0)) return null;
  return (
    <SettingsSection title={t('passkeys.title')} text={t('passkeys.text')}>
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()}>
        {(all) =>
          all.length === 0 ? (
            <SettingsRow
              icon={<IconKey size={17} />}
              title={t('passkeys.none')}
              text={t('passkeys.none_text')}
              actions={button}
            />
          ) : (
            <>
              <div role="list" aria-label={t('passkeys.title')}>
                {all.map((passkey) => (
                  <div key={passkey.id} role="listitem">
                    <PasskeyRow
                      passkey={passkey}
                      onRename={() => setRenaming(passkey)}
                      onRemove={() => stepUp(() => setRemoving(passkey))}
                    />
                  </div>
                ))}
              </div>
              {available && <SettingsFooter>{button}</SettingsFooter>}
            </>
          )
        }
      </SettingsState>
      {renaming && <RenamePasskey passkey={renaming} onClose={() => setRenaming(undefined)} />}
      {removing && <RemovePasskey passkey={removing} onClose={() => setRemoving(undefined)} />}
    </SettingsSection>
  );
}

interface RowProps {
  passkey: Passkey;
  onRename: () => void;
  onRemove: () => void;
}

function PasskeyRow({ passkey, onRename, onRemove }: RowProps) {
  const { t } = useTranslation('security');
  const { friendly_name: name, device_kind: kind, last_used_at: used } = passkey;
  const Icon = icons[kind];
  return (
    <SettingsRow
      icon={<Icon size={17} />}
      title={name}
      tag={passkey.second_factor && <Tag tone="rest">{t('passkeys.second_factor')}</Tag>}
      text={
        <>
          {t(`passkeys.kind.${kind}`)} · {t('totp.added', { date: dateTime(passkey.created_at) })}
          {used && (
            <>
              {' · '}
              {t('totp.last_used')} <RelativeTime at={used} />
            </>
          )}
        </>
      }
      actions={
        <>
          <Button variant="default" aria-label={t('passkeys.rename_of', { name })} onClick={onRename}>
            {t('passkeys.rename')}
          </Button>
          <Button variant="default" aria-label={t('totp.remove_of', { name })} onClick={onRemove}>
            {t('totp.remove')}
          </Button>
        </>
      }
    />
  );
}
