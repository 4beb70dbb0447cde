import { Switch, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getHotkeyHandler } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body, idempotent } from '../../api/client';
import { BusyButton } from '../../ui/BusyButton';
import { useSave } from '../useSave';
import classes from './Composer.module.css';

/** A thread, an order, a client, or us in general. */
export type Recipient = { thread_id: string } | { spv_id: string } | { client_id: string } | object;

/** Where a message is written. Ctrl+Enter sends it. */
export function Composer({ to, notes }: { to: Recipient; notes: boolean }) {
  const { t } = useTranslation('messages');
  const form = useForm({ initialValues: { body: '', internal: false } });
  const save = useSave({
    form,
    save: (values: typeof form.values, key) =>
      body(
        api.POST('/rest/v1/messages', {
          params: idempotent(key),
          body: { ...to, body: values.body, ...(values.internal && { internal: true }) },
        }),
      ),
    saved: () => {
      form.setFieldValue('body', '');
      for (const noun of ['threads', 'activity']) void queryClient.invalidateQueries({ queryKey: [noun] });
    },
  });
  const { internal } = form.values;
  const empty = form.values.body.trim() === '';
  const submit = form.onSubmit((values) => {
    if (!empty && !save.isPending) save.mutate(values);
  });
  return (
    <form className={classes.composer} onSubmit={submit} data-internal={internal} noValidate>
      <Textarea
        aria-label={internal ? t('write_note') : t('write')}
        placeholder={internal ? t('write_note') : t('write')}
        autosize
        minRows={2}
        maxRows={10}
        onKeyDown={getHotkeyHandler([['mod+Enter', () => submit()]])}
        {...form.getInputProps('body')}
      />
      <div className={classes.foot}>
        {notes && (
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
