import { Button, Modal } from '@mantine/core';
import { IconListNumbers } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { SettingsRow, SettingsState } from '../../ui/Settings';
import { Tag } from '../../ui/Tag';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { accountQueries } from './accountQueries';
import { withReauthentication } from './reauthentication';
import { RecoveryCodes } from './RecoveryCodes';
import { useStepUp } from './StepUp';

/** Warning threshold. */
const LOW_CODE_COUNT = 3;

/** Remaining recovery codes, and regeneration. */
export function RecoveryCodesRow() {
  const { t } = useTranslation(['security', 'common']);
  const stepUp = useStepUp();
  const [asking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery(accountQueries.codes());
  const make = useMutation({
    mutationFn: (renew: boolean) =>
      withReauthentication(() =>
        unwrapAuthResult(renew ? auth.mfa.recoveryCodes.regenerate() : auth.mfa.recoveryCodes.generate()),
      ),
    onSuccess: () => {
      setAsking(false);
      void queryClient.invalidateQueries({ queryKey: accountQueries.all });
    },
    onError: (failure) =>
      toast({ title: t('common:error'), description: errorText(failure), destructive: true }),
  });
  return (
    <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()}>
      {(set) => (
        <>
          <SettingsRow
            icon={<IconListNumbers size={17} />}
            title={t('codes.title')}
            tag={
              <Tag tone={set && set.remaining >= LOW_CODE_COUNT ? 'rest' : 'wait'}>
                {set ? t('codes.left', { remaining: set.remaining, total: set.total }) : t('codes.none')}
              </Tag>
            }
            text={t(set && set.remaining < LOW_CODE_COUNT ? 'codes.few' : 'codes.text')}
            actions={
              <Button
                variant="default"
                disabled={make.isPending}
                onClick={() => stepUp(() => (set ? setAsking(true) : make.mutate(false)))}
              >
                {t(set ? 'codes.renew' : 'codes.make')}
              </Button>
            }
          />
          {asking && (
            <ConfirmDialog
              title={t('codes.renew_title')}
              confirmLabel={t('codes.renew')}
              busyLabel={t('codes.making')}
              busy={make.isPending}
              onConfirm={() => make.mutate(true)}
              onClose={() => setAsking(false)}
            >
              {t('codes.renew_text')}
            </ConfirmDialog>
          )}
          {make.data && (
            <Modal
              opened
              onClose={make.reset}
              title={t('codes.title')}
              size={560}
              withCloseButton={false}
              closeOnClickOutside={false}
              closeOnEscape={false}
            >
              <RecoveryCodes codes={make.data.codes} onDone={make.reset} />
            </Modal>
          )}
        </>
      )}
    </SettingsState>
  );
}
