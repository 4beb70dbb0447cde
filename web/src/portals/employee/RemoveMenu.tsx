import { Button, List } from '@mantine/core';
import { IconArchive, IconHistory, IconPencil, IconRestore, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../api/client';
import { queries } from '../../api/queries';
import type { Depends } from '../../api/types';
import { HistoryDialog } from '../../shared/activity/HistoryDialog';
import { refetchAll } from '../../shared/StaleProblem';
import { useSave } from '../../shared/useSave';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { RowMenu, type RowAction } from '../../ui/RowMenu';
import { toast } from '../../ui/toasts';

export type Kind = 'company' | 'iso';
type ActionInput = 'archive' | 'restore' | 'delete';

async function runAction(kind: Kind, row: Props['row'], action: ActionInput): Promise<unknown> {
  const params = versionedBody(row);
  const call = { params, body: {} };
  if (kind === 'company') {
    if (action === 'delete') return body(api.DELETE('/rest/v1/companies/{id}', { params }));
    if (action === 'archive') return body(api.POST('/rest/v1/companies/{id}/archive', call));
    return body(api.POST('/rest/v1/companies/{id}/restore', call));
  }
  if (action === 'delete') return body(api.DELETE('/rest/v1/isos/{id}', { params }));
  if (action === 'archive') return body(api.POST('/rest/v1/isos/{id}/archive', call));
  return body(api.POST('/rest/v1/isos/{id}/restore', call));
}

interface Props {
  kind: Kind;
  row: { id: string; version: number; can: string[] };
  name: string;
  onEdit?: () => void;
  /** On the page of the record, which shows the history itself. */
  onRecord?: boolean;
}

/** Row menu of a company or ISO partner: edit, archive, restore and delete with confirmation. */
export function RemoveMenu({ kind, row, name, onEdit, onRecord = false }: Props) {
  const { t } = useTranslation(['employee', 'common']);
  const [asking, setAsking] = useState<'archive' | 'delete' | null>(null);
  const [historyOpen, setHistoryOpen] = useState(false);
  const save = useSave({
    save: async (action: ActionInput) => {
      await runAction(kind, row, action);
      return action;
    },
    explain: refetchAll([kind === 'company' ? 'companies' : 'isos']),
    invalidates: ['company', 'iso'],
    onSaved: (action) => {
      setAsking(null);
      toast({ title: t(`${kind}.done.${action}`), description: name });
    },
  });
  const history: RowAction = {
    label: t('history'),
    icon: <IconHistory size={15} />,
    onClick: () => setHistoryOpen(true),
  };
  const offers: (RowAction & { needs: string })[] = [
    ...(onEdit
      ? [{ needs: 'update', label: t('edit'), icon: <IconPencil size={15} />, onClick: onEdit }]
      : []),
    {
      needs: 'restore',
      label: t('restore'),
      icon: <IconRestore size={15} />,
      onClick: () => save.mutate('restore'),
    },
    {
      needs: 'archive',
      label: t('archive'),
      icon: <IconArchive size={15} />,
      onClick: () => setAsking('archive'),
    },
    {
      needs: 'delete',
      label: t('delete'),
      icon: <IconTrash size={15} />,
      danger: true,
      onClick: () => setAsking('delete'),
    },
  ];
  const archive = (
    <Button variant="default" disabled={save.isPending} onClick={() => save.mutate('archive')}>
      {t('archive_instead')}
    </Button>
  );
  return (
    <>
      <RowMenu
        name={name}
        actions={[...(onRecord ? [] : [history]), ...offers.filter((offer) => row.can.includes(offer.needs))]}
      />
      {historyOpen && <HistoryDialog id={row.id} name={name} onClose={() => setHistoryOpen(false)} />}
      {asking === 'archive' && (
        <ConfirmDialog
          title={t('archive_title', { name })}
          confirmLabel={t('archive')}
          busyLabel={t('common:saving')}
          busy={save.isPending}
          onConfirm={() => save.mutate('archive')}
          onClose={() => setAsking(null)}
        >
          {t('archive_text')}
        </ConfirmDialog>
      )}
      {asking === 'delete' && (
        <DeleteDialog
          kind={kind}
          id={row.id}
          name={name}
          busy={save.isPending}
          archive={row.can.includes('archive') && archive}
          onConfirm={() => save.mutate('delete')}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

interface DeleteProps {
  kind: Kind;
  id: string;
  name: string;
  busy: boolean;
  archive: React.ReactNode;
  onConfirm: () => void;
  onClose: () => void;
}

/** Delete dialog: lists dependents; with any, only Archive is offered. */
function DeleteDialog({ kind, id, name, busy, archive, onConfirm, onClose }: DeleteProps) {
  const { t } = useTranslation('employee');
  const company = useQuery({ ...queries.company(id), enabled: kind === 'company', staleTime: 0 });
  const iso = useQuery({ ...queries.iso(id), enabled: kind === 'iso', staleTime: 0 });
  const depends = (kind === 'company' ? company : iso).data?.depends;
  const counts = depends ? dependents.filter((noun) => depends[noun] > 0) : [];
  return (
    <ConfirmDialog
      title={t(`${kind}.delete_title`, { name })}
      confirmLabel={t('delete')}
      busyLabel={t('deleting')}
      busy={busy}
      danger
      blocked={counts.length > 0}
      alternative={counts.length > 0 && archive}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {t(`${kind}.delete_question`)}
      {depends && counts.length > 0 && (
        <>
          <p>{t('depends')}</p>
          <List size="sm">
            {counts.map((noun) => (
              <List.Item key={noun}>{t(`depends_${noun}`, { count: depends[noun] })}</List.Item>
            ))}
          </List>
        </>
      )}
    </ConfirmDialog>
  );
}

const dependents: (keyof Depends)[] = ['clients', 'isos', 'spvs', 'users'];
