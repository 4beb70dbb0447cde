import { Anchor, Button, Skeleton, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { ApiError, errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { auth } from '../../api/session';
import { BusyButton } from '../../ui/BusyButton';
import { CodeInput, isWholeCode } from '../../ui/CodeInput';
import { CopyButton } from '../../ui/CopyButton';
import { QrCode } from '../../ui/QrCode';
import { ErrorState } from '../../ui/ErrorState';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { beginEnrolment } from './enrolment';
import { withReauthentication } from './reauthentication';
import classes from './TotpEnrol.module.css';

interface Props {
  /** Factor name of the app. */
  name?: string;
  onEnrolled: () => void;
  onCancel?: () => void;
  cancelLabel?: string;
}

/** TOTP enrolment: scan or type the key, then verify a code. The session is at aal2 afterwards. */
export function TotpEnrol({ name, onEnrolled, onCancel, cancelLabel }: Props) {
  const { t } = useTranslation(['security', 'common']);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const begin = useMutation({
    mutationFn: () => withReauthentication(() => beginEnrolment(name || t('totp.default_name'))),
  });
  const { data: enrolment } = begin;

  const started = useRef(false);
  useEffect(() => {
    if (!started.current) begin.mutate();
    started.current = true;
  }, [begin]);

  const verify = useMutation({
    mutationFn: (factorId: string) =>
      withReauthentication(() => unwrapAuthResult(auth.mfa.challengeAndVerify({ factorId, code }))),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: queries.me().queryKey });
      onEnrolled();
    },
    onError: (error) => {
      setProblem(t(isFactorExpired(error) ? 'totp.renewed' : 'code.wrong'));
      if (isFactorExpired(error)) {
        setCode('');
        begin.mutate();
      } else if (!isWrongCode(error)) setProblem(errorText(error));
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!enrolment || verify.isPending) return;
    if (isWholeCode(code)) verify.mutate(enrolment.id);
    else setProblem(t('code.six'));
  };

  if (begin.isError) return <ErrorState message={errorText(begin.error)} onRetry={() => begin.mutate()} />;
  return (
    <form className={classes.enrol} noValidate onSubmit={submit} aria-busy={!enrolment}>
      <div className={classes.picture}>
        {enrolment ? (
          <QrCode text={enrolment.uri} label={t('totp.qr')} />
        ) : (
          <Skeleton className={classes.waiting} />
        )}
      </div>
      <ol className={classes.steps}>
        <li>
          <Text fw={500}>{t('totp.scan')}</Text>
          <Text size="sm" c="dimmed">
            {t('totp.apps')}
          </Text>
          <Text size="sm" mt={8}>
            {t('totp.key')}
          </Text>
          <div className={classes.key}>
            {enrolment ? (
              <code aria-label={t('totp.key_label')}>{groupInFours(enrolment.secret)}</code>
            ) : (
              <Skeleton height={20} width={220} />
            )}
            <CopyButton text={enrolment?.secret ?? ''} name={t('totp.key_label')} size="compact-sm" />
          </div>
          {enrolment && (
            <Anchor className={classes.open} href={enrolment.uri} size="sm">
              {t('totp.open_app')}
            </Anchor>
          )}
        </li>
        <li>
          <CodeInput
            label={t('totp.code')}
            description={t('totp.code_hint')}
            value={code}
            onChange={setCode}
            error={problem}
            required
            withAsterisk={false}
          />
          <div className={classes.actions}>
            <BusyButton
              type="submit"
              busy={verify.isPending}
              label={t('totp.turn_on')}
              busyLabel={t('code.checking')}
            />
            {onCancel && (
              <Button variant="default" onClick={onCancel} disabled={verify.isPending}>
                {cancelLabel ?? t('common:cancel')}
              </Button>
            )}
          </div>
        </li>
      </ol>
    </form>
  );
}

const isWrongCode = (error: unknown) => error instanceof ApiError && error.code === 'mfa_verification_failed';

/** Unverified factors expire after minutes. */
const isFactorExpired = (error: unknown) =>
  error instanceof ApiError && ['mfa_factor_not_found', 'mfa_challenge_expired'].includes(error.code);

function groupInFours(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}
