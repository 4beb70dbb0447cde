import { Switch, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getHotkeyHandler } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body, idempotencyHeaders } from '../../api/client';
import { BusyButton } from '../../ui/BusyButton';
import { AttachButton } from '../documents/AttachButton';
import { useAttachments } from '../documents/useAttachments';
import { UploadList } from '../documents/UploadList';
import type { Target } from '../documents/uploads';
import { readDraft, removeDraft, saveDraft } from '../drafts';
import { useMe } from '../session/me';
import { useSave } from '../useSave';
import { isPrefilled, usePrefilledMessage, withPrefill } from './usePrefilledMessage';
import classes from './Composer.module.css';

/** A thread, order, client, or the general conversation. */
export type Recipient = { thread_id: string } | { spv_id: string } | { client_id: string } | object;

interface Props {
  /** Key of the draft. */
  draft: string;
  to: Recipient;
  /** Whether messages are internal notes; `optional` shows a switch. */
  notes: 'never' | 'optional' | 'always';
  /** Target of the attachments. */
  files: Target;
}

interface Draft {
  body: string;
  /** Text that a link inserted into the body. */
  prefill: string;
  internal: boolean;
}

/** Message composer. Ctrl+Enter sends. What is typed survives a reload. */
export function Composer({ draft, to, notes, files }: Props) {
  const { t } = useTranslation('messages');
  const attached = useAttachments(files);
  const { id: user } = useMe();
  const draftName = `message ${draft}`;
  const form = useForm({
    initialValues: { body: '', prefill: '', internal: false, ...readDraft<Draft>(user, draftName) },
    onValuesChange: (values) => {
      if (isPrefilled(values)) removeDraft(user, draftName);
      else saveDraft(user, draftName, values);
    },
  });
  const internal = notes === 'always' || (notes === 'optional' && form.values.internal);
  const field = usePrefilledMessage((prefill) => {
    form.setValues({ body: withPrefill(form.getValues(), prefill), prefill });
  });
  const save = useSave({
    form,
    save: async (values: typeof form.values, key) => {
      const document_ids = attached.ids;
      await body(
        api.POST('/rest/v1/messages', {
          params: idempotencyHeaders(key),
          body: { ...to, body: values.body, document_ids, ...(internal && { internal: true }) },
        }),
      );
      return { text: values.body, document_ids };
    },
    onSaved: ({ text, document_ids }) => {
      // Text and attachments added while sending are kept for the next message.
      if (form.getValues().body === text) form.setFieldValue('body', '');
      attached.clear(document_ids);
      for (const noun of ['threads', 'activity', 'documents'])
        void queryClient.invalidateQueries({ queryKey: [noun] });
    },
  });
  // Attachments alone can be sent, once uploaded.
  const empty = (form.values.body.trim() === '' && attached.ids.length === 0) || attached.busy;
  const submit = form.onSubmit((values) => {
    if (!empty && !save.isPending) save.mutate(values);
  });
  return (
    <form className={classes.composer} onSubmit={submit} data-internal={internal} noValidate>
      <Textarea
        ref={field}
        aria-label={internal ? t('write_note') : t('write')}
        placeholder={internal ? t('write_note') : t('write')}
        autosize
        minRows={2}
        maxRows={10}
        onKeyDown={getHotkeyHandler([['mod+Enter', () => submit()]])}
        {...form.getInputProps('body')}
      />
      <UploadList target={files} />
      <div className={classes.foot}>
        <AttachButton target={files} />
        {notes === 'optional' && (
          <Switch
            size="sm"
            label={t('internal')}
            description={internal ? t('internal_text') : undefined}
            {...form.getInputProps('internal', { type: 'checkbox' })}
          />
        )}
        <BusyButton
          className={classes.send}
          type="submit"
          busy={save.isPending}
          disabled={empty}
          label={internal ? t('save_note') : t('send')}
          busyLabel={t('sending')}
        />
      </div>
    </form>
  );
}
