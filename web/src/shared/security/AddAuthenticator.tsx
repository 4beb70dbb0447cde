import { Button, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { toast } from '../../ui/toasts';
import { accountQueries } from './accountQueries';
import { TotpSetup } from './TotpSetup';
import { Dialog } from '../../ui/Dialog';
import classes from './ChallengeForm.module.css';

interface Props {
  /** Adds an authenticator app. The first one enables MFA; further ones need a distinct name. */
  first: boolean;
  onClose: () => void;
}

export function AddAuthenticator({ first: isFirst, onClose }: Props) {
  const { t } = useTranslation(['security', 'common']);
  const phone = useMediaQuery('(max-width: 600px)');
  // Fixed at open: the list behind the dialog grows before it closes.
  const [first] = useState(isFirst);
  const [name, setName] = useState<string>();
  // After enrolment the recovery codes must be seen, so the dialog cannot be dismissed.
  const [enrolled, setEnrolled] = useState(false);
  const close = () => {
    if (!enrolled) onClose();
  };
  const done = () => {
    onClose();
    toast({ title: t('totp.enrolled'), description: t('totp.enrolled_text') });
    void queryClient.invalidateQueries({ queryKey: accountQueries.all });
  };
  return (
    <Dialog
      onClose={close}
      size={640}
      fullScreen={phone}
      title={t(enrolled ? 'codes.title' : first ? 'totp.setup' : 'totp.add')}
      withCloseButton={!enrolled}
      closeOnClickOutside={false}
      closeOnEscape={!enrolled}
    >
      {first || name !== undefined ? (
        <TotpSetup
          name={name}
          offerPasskey={first}
          onEnrolled={() => setEnrolled(true)}
          onDone={done}
          onCancel={close}
        />
      ) : (
        <NameForm onNamed={setName} />
      )}
    </Dialog>
  );
}

function NameForm({ onNamed }: { onNamed: (name: string) => void }) {
  const { t } = useTranslation(['security', 'common']);
  const [name, setName] = useState('');
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) onNamed(name.trim());
    else setMissing(true);
  };
  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <TextInput
        label={t('totp.name')}
        description={t('totp.name_hint')}
        value={name}
        maxLength={60}
        onChange={(event) => setName(event.currentTarget.value)}
        error={missing && !name.trim() && t('errors:fields.required')}
        required
        withAsterisk={false}
        data-autofocus
      />
      <div className={classes.actions}>
        <Button type="submit">{t('common:continue')}</Button>
      </div>
    </form>
  );
}
