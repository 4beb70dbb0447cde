import { Button, Skeleton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { ApiError, errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { ErrorState } from '../../ui/ErrorState';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { EnrolPasskey } from './EnrolPasskey';
import { withReauthentication } from './reauthentication';
import { RecoveryCodes } from './RecoveryCodes';
import { TotpEnrol } from './TotpEnrol';

type Props = Omit<ComponentProps<typeof TotpEnrol>, 'onEnrolled'> & {
  onDone: () => void;
  /** Enrolled; the recovery codes are still to be seen. */
  onEnrolled?: () => void;
  /** A passkey may take the place of the app. */
  offerPasskey?: boolean;
};

/** TOTP setup from QR code to recovery codes, which come with the first app only. */
export function TotpSetup({ onDone, onEnrolled, offerPasskey, ...enrol }: Props) {
  const { t } = useTranslation('common');
  const [enrolled, setEnrolled] = useState(false);
  const codes = useMutation({
    mutationFn: () => withReauthentication(() => unwrapAuthResult(auth.mfa.recoveryCodes.generate())),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['security'] }),
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'mfa_verified_factor_exists') onDone();
    },
  });
  if (!enrolled) {
    const next = () => {
      setEnrolled(true);
      onEnrolled?.();
      codes.mutate();
    };
    return (
      <>
        <TotpEnrol {...enrol} onEnrolled={next} />
        {offerPasskey && <EnrolPasskey onEnrolled={next} />}
      </>
    );
  }
  if (codes.data) return <RecoveryCodes codes={codes.data.codes} onDone={onDone} />;
  if (!codes.error) return <Skeleton height={260} />;
  return (
    <>
      <ErrorState message={errorText(codes.error)} onRetry={() => codes.mutate()} />
      {/* MFA is active already; codes can be regenerated later. */}
      <Button variant="subtle" fullWidth onClick={onDone}>
        {t('continue')}
      </Button>
    </>
  );
}
