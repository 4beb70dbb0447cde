import { Modal, Text } from '@mantine/core';
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { auth } from '../../api/session';
import { ChallengeForm } from './ChallengeForm';
import { accountQueries, hasSecondFactor } from './accountQueries';
import { reauthenticate, needsReauthentication } from './reauthentication';

type RequestStepUp = (then: () => void) => void;
const StepUpContext = createContext<RequestStepUp>((then) => then());

/** Step-up authentication: asks for MFA or reauthentication before an action that the server would reject. */
export function useStepUp(): RequestStepUp {
  return useContext(StepUpContext);
}

export function StepUp({ children }: { children: ReactNode }) {
  const { t } = useTranslation(['security', 'common']);
  const [waiting, setWaiting] = useState<() => void>();
  const ask = useCallback<RequestStepUp>((then) => {
    void needsCode().then(async (needed) => {
      if (needed) setWaiting(() => then);
      else if (!(await needsReauthentication()) || (await reauthenticate())) then();
    });
  }, []);
  const close = () => setWaiting(undefined);
  return (
    <StepUpContext value={ask}>
      {children}
      {waiting && (
        <Modal
          opened
          onClose={close}
          title={t('challenge.title')}
          size="sm"
          closeButtonProps={{ 'aria-label': t('common:close') }}
        >
          <Text size="sm" c="dimmed" mb="md">
            {t('challenge.text')}
          </Text>
          <ChallengeForm onVerified={() => (close(), waiting())} onCancel={close} />
        </Modal>
      )}
    </StepUpContext>
  );
}

/** On error the server decides. */
async function needsCode(): Promise<boolean> {
  const user = await queryClient.ensureQueryData(accountQueries.user()).catch(() => undefined);
  if (!hasSecondFactor(user)) return false;
  const { data } = await auth.mfa.getAuthenticatorAssuranceLevel();
  return data?.currentLevel === 'aal1';
}
