import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPencil, IconRestore, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { api, body, versionedBody } from '../../api/client';
import { queryClient } from '../../api/cache';
import { queries } from '../../api/queries';
import type { DocumentChange, DocumentDetail } from '../../api/types';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { FormModal } from '../../ui/FormModal';
import { RowMenu, type RowAction } from '../../ui/RowMenu';
import { toast } from '../../ui/toasts';
import { NO_ORDER, OrderSelect } from '../selects';
import { orderNameOf } from '../spvs/orderName';
import { refetchAll, useVersionConflict } from '../StaleProblem';
import { useRequiredFieldsMessage, useSave } from '../useSave';
import { required } from '../validators';
import { usePortalLinks } from './links';

/** What the staff do with a document beside its content: rename, move, delete, restore. */
export function DocumentActions({ document }: { document: DocumentDetail }) {
  const { t } = useTranslation(['documents', 'common']);
  const [open, setOpen] = useState<'change' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const actions: (RowAction & { needs: string })[] = [
    {
      needs: 'update',
      label: t('change.action'),
      icon: <IconPencil size={15} />,
      onClick: () => setOpen('change'),
    },
    {
      needs: 'delete',
      label: t('delete.action'),
      icon: <IconTrash size={15} />,
      danger: true,
      onClick: () => setOpen('delete'),
    },
  ];
  return (
    <>
      {document.can.includes('undelete') && <Undelete document={document} />}
      <RowMenu name={document.name} actions={actions.filter(({ needs }) => document.can.includes(needs))} />
      {open === 'change' && <ChangeForm document={document} onClose={close} />}
      {open === 'delete' && <DeleteQuestion document={document} onClose={close} />}
    </>
  );
}

function ChangeForm({ document: opened, onClose }: { document: DocumentDetail; onClose: () => void }) {
  const { t } = useTranslation(['documents', 'common']);
  const [document, setDocument] = useState(opened);
  const stale = useVersionConflict();
  const missing = useRequiredFieldsMessage();
  const valuesOf = ({ name, spv_id }: DocumentDetail) => ({
    name,
    spv_id: (spv_id ?? NO_ORDER) as string | null,
  });
  const form = useForm({ initialValues: valuesOf(opened), validate: { name: required, spv_id: required } });
  const save = useSave({
    form,
    save: (change: DocumentChange) =>
      body(api.PATCH('/rest/v1/documents/{id}', { params: versionedBody(document), body: change })),
    invalidates: 'document',
    explain: stale.explain,
    onSaved: (saved) => {
      queryClient.setQueryData(queries.document(saved.id).queryKey, saved);
      toast({ title: t('change.done'), description: saved.name });
      onClose();
    },
  });
  const reload = async () => {
    const newest = await queryClient.fetchQuery({ ...queries.document(document.id), staleTime: 0 });
    setDocument(newest);
    stale.forget();
    form.setInitialValues(valuesOf(newest));
    form.reset();
  };
  return (
    <FormModal
      title={t('change.title')}
      text={document.client.name}
      submitLabel={t('common:save')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      problem={stale.problem(reload)}
      onSubmit={form.onSubmit(({ name, spv_id }) => {
        const changed: DocumentChange = {};
        if (name !== document.name) changed.name = name;
        if (spv_id !== (document.spv_id ?? NO_ORDER)) changed.spv_id = spv_id === NO_ORDER ? null : spv_id;
        save.mutate(changed);
      }, missing)}
      onClose={onClose}
    >
      <TextInput size="sm" label={t('column.name')} required data-autofocus {...form.getInputProps('name')} />
      <OrderSelect
        key={document.version}
        label={t('change.order')}
        required
        clientId={document.client.id}
        initialLabel={orderNameOf(document) ?? undefined}
        {...form.getInputProps('spv_id')}
      />
    </FormModal>
  );
}

function DeleteQuestion({ document, onClose }: { document: DocumentDetail; onClose: () => void }) {
  const { t } = useTranslation(['documents', 'common']);
  const places = usePortalLinks();
  const navigate = useNavigate();
  const remove = useSave({
    save: () => body(api.DELETE('/rest/v1/documents/{id}', { params: versionedBody(document) })),
    invalidates: 'document',
    explain: refetchAll(queries.document(document.id).queryKey),
    onSaved: (deleted) => {
      queryClient.setQueryData(queries.document(deleted.id).queryKey, deleted);
      toast({ title: t('delete.done'), description: deleted.name });
      void navigate(deleted.spv_id ? places.order(deleted.spv_id) : places.documents);
    },
  });
  return (
    <ConfirmDialog
      title={t('delete.title', { name: document.name })}
      confirmLabel={t('delete.confirm')}
      busyLabel={t('delete.busy')}
      busy={remove.isPending}
      danger
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {t('delete.text')}
    </ConfirmDialog>
  );
}

function Undelete({ document }: { document: DocumentDetail }) {
  const { t } = useTranslation('documents');
  const restore = useSave({
    save: () =>
      body(api.POST('/rest/v1/documents/{id}/undelete', { params: versionedBody(document), body: {} })),
    invalidates: 'document',
    explain: refetchAll(queries.document(document.id).queryKey),
    onSaved: (restored) => {
      queryClient.setQueryData(queries.document(restored.id).queryKey, restored);
      toast({ title: t('deleted.restored'), description: restored.name });
    },
  });
  return (
    <Button
      leftSection={<IconRestore size={16} />}
      disabled={restore.isPending}
      onClick={() => restore.mutate(undefined)}
    >
      {t('deleted.restore')}
    </Button>
  );
}
