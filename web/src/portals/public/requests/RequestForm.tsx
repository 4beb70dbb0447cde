import { useRef, useState, type FormEvent } from 'react';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { errorText, fieldErrors } from '../../../api/errors';
import { focusFirstError } from '../../../shared/focusFirstError';
import { newIdempotencyKey } from '../../../shared/idempotencyKey';
import { BusyButton } from '../../../ui/BusyButton';
import { clearToast, toast } from '../../../ui/toasts';
import { useDraft } from './useDraft';
import css from './RequestForm.module.css';

const empty = { name: '', email: '', message: '' };
type Field = keyof typeof empty;
const fields: Field[] = ['name', 'email', 'message'];

/** Public request form for visitors. Input is kept until the server has stored it. */
export function RequestForm({ messageLabel }: { messageLabel: string }) {
  const { t } = useTranslation('public');
  const [draft, setDraft, forget] = useDraft('spv-request-support', empty);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const [reference, setReference] = useState<string>();
  const key = useRef(newIdempotencyKey());

  const send = async (event: FormEvent) => {
    event.preventDefault();
    const from = document.activeElement;
    const refuse = (refusals: Record<string, string>) => focusFirstError(() => setErrors(refusals), from);
    const blank = fields.filter((field) => !draft[field].trim());
    if (blank.length) {
      toast({ title: t('common:missing.title'), description: t('common:missing.text'), destructive: true });
      refuse(Object.fromEntries(blank.map((field) => [field, t(`request.${field}_required`)])));
      return;
    }
    setBusy(true);
    setErrors({});
    try {
      const sent = await body(
        api.POST('/rest/v1/requests', {
          params: idempotencyHeaders(key.current),
          body: { kind: 'support', ...draft },
        }),
      );
      clearToast();
      setReference(sent.reference);
      forget();
    } catch (error) {
      toast({ title: t('common:error'), description: errorText(error), destructive: true });
      refuse(fieldErrors(error));
    } finally {
      setBusy(false);
    }
  };

  if (reference) {
    const another = () => {
      key.current = newIdempotencyKey();
      setReference(undefined);
    };
    return <RequestSent reference={reference} onAnother={another} />;
  }

  const field = (name: Field) => ({
    name,
    value: draft[name],
    required: true,
    withAsterisk: false,
    error: errors[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  return (
    <form className={css.form} noValidate onSubmit={(event) => void send(event)}>
      <TextInput {...field('name')} label={t('request.name')} autoComplete="name" maxLength={200} />
      <TextInput
        {...field('email')}
        label={t('request.email')}
        type="email"
        autoComplete="email"
        maxLength={254}
      />
      <Textarea {...field('message')} label={messageLabel} rows={6} maxLength={5000} />
      <BusyButton
        type="submit"
        className={css.send}
        busy={busy}
        label={t('request.send')}
        busyLabel={t('request.sending')}
      />
    </form>
  );
}

function RequestSent({ reference, onAnother }: { reference: string; onAnother: () => void }) {
  const { t } = useTranslation('public');
  return (
    <div className={css.sent} role="status">
      <h2>{t('request.sent')}</h2>
      <p>{t('request.sent_text')}</p>
      <p>
        {t('request.reference')} <strong className={css.reference}>{reference}</strong>
      </p>
      <Button variant="default" onClick={onAnother}>
        {t('request.another')}
      </Button>
    </div>
  );
}
