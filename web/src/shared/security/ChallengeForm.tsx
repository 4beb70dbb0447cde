import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { ApiError, errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { auth } from '../../api/session';
import { BusyButton } from '../../ui/BusyButton';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { CodeInput, isWholeCode } from '../../ui/CodeInput';
import { PasskeyCancelled, usePasskeys, verifyPasskey } from '../auth/passkeys';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { useCountdown } from '../auth/useCountdown';
import { accountQueries, verifiedApps } from './accountQueries';
import classes from './ChallengeForm.module.css';

interface Props {
  onVerified: () => void;
  onCancel?: () => void;
}

/** MFA challenge: raises the session to aal2 by passkey, TOTP or recovery code. */
export function ChallengeForm({ onVerified, onCancel }: Props) {
  const { t } = useTranslation(['security', 'common']);
  const { data: user, error: unknown } = useQuery(accountQueries.user());
  const apps = verifiedApps(user);
  const { data: passkeys = [] } = useQuery(accountQueries.passkeys());
  // Any of them may sign.
  const passkey = usePasskeys() ? passkeys[0] : undefined;
  const [chosen, setChosen] = useState<string | null>(null);
  const [recovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const [wait, setWait] = useCountdown();
  const factorId = chosen ?? apps[0]?.id ?? '';

  const verify = useMutation({
    mutationFn: async (byPasskey: string | undefined) => {
      if (byPasskey) await verifyPasskey(byPasskey);
      else if (recovery) await unwrapAuthResult(auth.mfa.recoveryCodes.verify({ code }));
      else await unwrapAuthResult(auth.mfa.challengeAndVerify({ factorId, code }));
    },
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: queries.me().queryKey }),
        queryClient.invalidateQueries({ queryKey: accountQueries.all }),
      ]);
      onVerified();
    },
    onError: (error, byPasskey) => {
      if (error instanceof PasskeyCancelled) return;
      const seconds = error instanceof ApiError ? Number(error.params.seconds) : 0;
      if (seconds > 0) setWait(seconds);
      setProblem(
        !byPasskey && isWrongCode(error)
          ? t(recovery ? 'code.wrong_recovery' : 'code.wrong')
          : errorText(error),
      );
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (verify.isPending || wait > 0) return;
    setProblem(undefined);
    if (recovery ? code.trim() !== '' : isWholeCode(code)) verify.mutate(undefined);
    else setProblem(recovery ? t('errors:fields.required') : t('code.six'));
  };
  const swap = () => {
    setRecovery(!recovery);
    setCode('');
    setProblem(undefined);
  };

  const notice =
    wait > 0 ? t('public:problem.wait', { count: wait }) : (problem ?? (unknown && errorText(unknown)));
  // Without an app there is nothing to type, unless it is a recovery code.
  const passkeyOnly = passkey !== undefined && apps.length === 0 && !recovery;
  const common = {
    value: code,
    error: notice,
    required: true,
    withAsterisk: false,
    autoFocus: true,
    'data-autofocus': true,
  };
  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {passkey && !recovery && (
        <Button
          variant={passkeyOnly ? 'filled' : 'default'}
          leftSection={<IconKey size={16} aria-hidden="true" />}
          disabled={verify.isPending || wait > 0}
          data-autofocus={passkeyOnly}
          onClick={() => {
            setProblem(undefined);
            verify.mutate(passkey.id);
          }}
        >
          {t('challenge.passkey')}
        </Button>
      )}
      {passkeyOnly && notice && (
        <Text size="sm" c="red" role="alert">
          {notice}
        </Text>
      )}
      {!recovery && apps.length > 1 && (
        <ChoiceSelect
          label={t('challenge.app')}
          value={factorId}
          onChange={setChosen}
          choices={apps.map((app) => ({ value: app.id, label: app.friendly_name ?? t('totp.default_name') }))}
        />
      )}
      {recovery ? (
        <TextInput
          {...common}
          key="recovery"
          label={t('challenge.recovery')}
          description={t('challenge.recovery_hint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      ) : passkeyOnly ? null : (
        <CodeInput
          {...common}
          key="code"
          label={t('totp.code')}
          description={t('totp.code_hint')}
          onChange={setCode}
        />
      )}
      <div className={classes.actions}>
        {!passkeyOnly && (
          <BusyButton
            type="submit"
            busy={verify.isPending}
            disabled={wait > 0}
            label={t('common:continue')}
            busyLabel={t('code.checking')}
          />
        )}
        {onCancel && (
          <Button variant="default" onClick={onCancel} disabled={verify.isPending}>
            {t('common:cancel')}
          </Button>
        )}
      </div>
      <Anchor component="button" type="button" size="sm" className={classes.other} onClick={swap}>
        {t(
          recovery
            ? apps.length > 0
              ? 'challenge.use_app'
              : 'challenge.use_passkey'
            : 'challenge.use_recovery',
        )}
      </Anchor>
    </form>
  );
}

const WRONG_CODE_ERRORS = ['mfa_verification_failed', 'mfa_recovery_code_invalid', 'mfa_factor_not_found'];
const isWrongCode = (error: unknown) => error instanceof ApiError && WRONG_CODE_ERRORS.includes(error.code);
