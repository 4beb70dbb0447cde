import { Button, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { enrollPasskey, PasskeyCancelled, usePasskeys } from '../auth/passkeys';
import { freeFactorName } from './enrolment';
import { withReauthentication } from './reauthentication';

/** Button to take a passkey as second factor instead of an app. */
export function EnrolPasskey({ onEnrolled }: { onEnrolled: () => void }) {
  const { t } = useTranslation('security');
  const available = usePasskeys();
  const enrol = useMutation({
    mutationFn: () =>
      withReauthentication(async () => enrollPasskey(await freeFactorName(t('passkeys.default_name')))),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: queries.me().queryKey });
      onEnrolled();
    },
  });
  if (!available) return null;
  const failure = enrol.error instanceof PasskeyCancelled ? null : enrol.error;
  return (
    <>
      {failure && (
        <Text size="sm" c="red" mt="md" role="alert">
          {errorText(failure)}
        </Text>
      )}
      <Button
        variant="default"
        fullWidth
        mt="md"
        leftSection={<IconKey size={16} aria-hidden="true" />}
        disabled={enrol.isPending}
        onClick={() => enrol.mutate()}
      >
        {t('passkeys.enrol')}
      </Button>
    </>
  );
}
