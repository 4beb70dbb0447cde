import { ActionIcon, Skeleton, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../../api/cache';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { ClientNote } from '../../../api/types';
import { useUnsaved } from '../../../ui/unsavedChanges';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { RelativeTime } from '../../../ui/DateText';
import { Prose } from '../../../ui/Prose';
import { Section } from '../../../ui/Section';
import { ErrorState } from '../../../ui/ErrorState';
import { toast } from '../../../ui/toasts';
import classes from './Notes.module.css';

/** Private notes about a client. */
export function Notes({ clientId }: { clientId: string }) {
  const { t } = useTranslation(['partners', 'common']);
  const { data, error, refetch } = useQuery(queries.clientNotes(clientId));
  const [doomed, setDoomed] = useState<ClientNote | null>(null);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['clients', clientId, 'notes'] });
  const form = useForm({ initialValues: { body: '' } });
  const add = useSave({
    form,
    save: (note: { body: string }, key) =>
      body(
        api.POST('/rest/v1/clients/{id}/notes', {
          params: { path: { id: clientId }, ...idempotencyHeaders(key) },
          body: note,
        }),
      ),
    onSaved: () => {
      form.reset();
      refresh();
      toast({ title: t('notes.added') });
    },
  });
  useUnsaved(form.isDirty() && !add.isPending);
  const remove = useSave({
    save: ({ id }: ClientNote) =>
      body(api.DELETE('/rest/v1/client-notes/{id}', { params: { path: { id } } })),
    onSaved: () => {
      setDoomed(null);
      refresh();
      toast({ title: t('notes.deleted') });
    },
  });
  return (
    <Section title={t('notes.title')}>
      <form onSubmit={form.onSubmit((values) => add.mutate(values))} noValidate>
        <Textarea
          label={t('notes.label')}
          description={t('notes.private')}
          autosize
          minRows={2}
          {...form.getInputProps('body')}
        />
        <BusyButton
          type="submit"
          mt="xs"
          busy={add.isPending}
          label={t('notes.add')}
          busyLabel={t('common:saving')}
        />
      </form>
      {!data && !error && <Skeleton height={72} mt="md" aria-hidden="true" />}
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed" mt="md">
          {t('notes.empty')}
        </Text>
      )}
      {data && data.length > 0 && (
        <ul className={classes.list}>
          {data.map((note) => (
            <li key={note.id}>
              <p className={classes.body}>
                <Prose>{note.body}</Prose>
              </p>
              <div className={classes.foot}>
                <RelativeTime at={note.created_at} />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={32}
                  aria-label={t('notes.delete')}
                  onClick={() => setDoomed(note)}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              </div>
            </li>
          ))}
        </ul>
      )}
      {doomed && (
        <ConfirmDialog
          title={t('notes.delete_title')}
          confirmLabel={t('notes.delete')}
          busyLabel={t('common:saving')}
          busy={remove.isPending}
          danger
          onConfirm={() => remove.mutate(doomed)}
          onClose={() => setDoomed(null)}
        >
          {t('notes.delete_text')}
        </ConfirmDialog>
      )}
    </Section>
  );
}
