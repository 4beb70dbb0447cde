import { useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { ApiError, errorText, fieldErrors } from '../../../api/errors';
import type { Portal } from '../../../paths';
import { focusFirstError } from '../../../shared/focusFirstError';
import { newIdempotencyKey } from '../../../shared/idempotencyKey';
import { BusyButton } from '../../../ui/BusyButton';
import { clearToast, toast } from '../../../ui/toasts';
import { useDraft } from '../requests/useDraft';
import { ApplyField } from './ApplyField';
import { application, validationErrors, formFields, forms, type Draft } from './fields';
import css from './ApplyForm.module.css';

interface Props {
  portal: Portal;
  onSent: (sent: { reference: string; email: string }) => void;
}

/** Account application form. Input is kept until the server has stored it. */
export function ApplyForm({ portal, onSent }: Props) {
  const { t } = useTranslation('public');
  const [draft, setDraft, forget] = useDraft<Draft>(`spv-apply-${portal}`, empty(portal));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const key = useRef(newIdempotencyKey());

  const send = async (event: FormEvent) => {
    event.preventDefault();
    const from = document.activeElement;
    const refuse = (refusals: Record<string, string>) => focusFirstError(() => setErrors(refusals), from);
    const found = validationErrors(portal, draft);
    if (Object.keys(found).length > 0) {
      const missing = Object.values(found).includes('required');
      toast({
        title: missing ? t('common:missing.title') : t('common:error'),
        description: missing ? t('common:missing.text') : t('errors:invalid'),
        destructive: true,
      });
      refuse(
        Object.fromEntries(Object.entries(found).map(([name, code]) => [name, t(`errors:fields.${code}`)])),
      );
      return;
    }
    setBusy(true);
    setErrors({});
    try {
      const { email, application: filled } = application(portal, draft);
      const sent = await body(
        api.POST('/rest/v1/requests', {
          params: idempotencyHeaders(key.current),
          body: { kind: 'account', account_type: portal, email, application: filled },
        }),
      );
      clearToast();
      forget();
      onSent({ reference: sent.reference, email });
    } catch (error) {
      toast({ title: t('common:error'), description: errorText(error), destructive: true });
      refuse(localFieldErrors(fieldErrors(error)));
      // The server rejected it without creating anything, so the next attempt gets a new idempotency key.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500)
        key.current = newIdempotencyKey();
    } finally {
      setBusy(false);
    }
  };

  const change = (name: string) => (value: string) => {
    setDraft((now) => ({ ...now, [name]: value }));
    setErrors((now) => Object.fromEntries(Object.entries(now).filter(([field]) => field !== name)));
  };
  return (
    <form className={css.form} noValidate onSubmit={(event) => void send(event)}>
      {forms[portal].map((part) => (
        <fieldset key={part.name} className={css.part}>
          <legend>{t(`apply.part.${part.name}`)}</legend>
          {part.fields.map((field) => (
            <div key={field.name} className={field.half ? css.half : css.whole}>
              <ApplyField
                field={field}
                value={draft[field.name] ?? ''}
                error={errors[field.name]}
                onChange={change(field.name)}
              />
            </div>
          ))}
        </fieldset>
      ))}
      <BusyButton
        type="submit"
        className={css.send}
        busy={busy}
        label={t('apply.send')}
        busyLabel={t('request.sending')}
      />
    </form>
  );
}

const empty = (portal: Portal): Draft => Object.fromEntries(formFields(portal).map(({ name }) => [name, '']));

/** Maps server fields such as `application.first_name` to form fields. */
function localFieldErrors(errors: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([name, text]) => [name.replace(/^application\./, ''), text]),
  );
}
