import {
  IconArchive,
  IconFolderPlus,
  IconFolders,
  IconHistory,
  IconMail,
  IconPencil,
  IconRestore,
  IconUserOff,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { api, body, versionedBody } from '../../../api/client';
import type { Client } from '../../../api/types';
import { paths } from '../../../paths';
import { HistoryDialog } from '../../../shared/activity/HistoryDialog';
import { refetchAll } from '../../../shared/StaleProblem';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { RowMenu, type RowAction } from '../../../ui/RowMenu';
import { toast } from '../../../ui/toasts';

type ActionInput = 'invite' | 'suspend' | 'restore' | 'archive';

function runAction(client: Client, action: ActionInput): Promise<Client> {
  const call = { params: versionedBody(client), body: {} };
  if (action === 'invite')
    return body(api.POST('/rest/v1/clients/{id}/invite', { ...call, params: { path: call.params.path } }));
  if (action === 'suspend') return body(api.POST('/rest/v1/clients/{id}/suspend', call));
  if (action === 'restore') return body(api.POST('/rest/v1/clients/{id}/restore', call));
  return body(api.POST('/rest/v1/clients/{id}/archive', call));
}

interface Props {
  client: Client;
  /** In a list; the page of the client has its own buttons for the first actions. */
  inList?: { onEdit: () => void; onOrder: () => void };
}

export function ClientMenu({ client, inList }: Props) {
  const { t } = useTranslation(['employee', 'common']);
  const navigate = useNavigate();
  const [asking, setAsking] = useState<ActionInput | null>(null);
  const [historyOpen, setHistoryOpen] = useState(false);
  const name = `${client.first_name} ${client.last_name}`;
  const save = useSave({
    save: async (action: ActionInput) => {
      await runAction(client, action);
      return action;
    },
    explain: refetchAll(['clients']),
    invalidates: 'client',
    onSaved: (action) => {
      setAsking(null);
      toast({ title: t(`clients.done.${action}`), description: name });
    },
  });
  const inListOnly: (RowAction & { needs?: string })[] = inList
    ? [
        {
          label: t('clients.orders'),
          icon: <IconFolders size={15} />,
          onClick: () => void navigate(paths.employeeListFor('spvs', client.email)),
        },
        { label: t('history'), icon: <IconHistory size={15} />, onClick: () => setHistoryOpen(true) },
        { needs: 'update', label: t('edit'), icon: <IconPencil size={15} />, onClick: inList.onEdit },
        {
          needs: 'create_spv',
          label: t('spvs.create'),
          icon: <IconFolderPlus size={15} />,
          onClick: inList.onOrder,
        },
      ]
    : [];
  const offers: (RowAction & { needs?: string })[] = [
    ...inListOnly,
    {
      needs: 'invite',
      label: t('clients.invite'),
      icon: <IconMail size={15} />,
      onClick: () => save.mutate('invite'),
    },
    {
      needs: 'restore',
      label: t('restore'),
      icon: <IconRestore size={15} />,
      onClick: () => save.mutate('restore'),
    },
    {
      needs: 'suspend',
      label: t('clients.suspend'),
      icon: <IconUserOff size={15} />,
      onClick: () => setAsking('suspend'),
    },
    {
      needs: 'archive',
      label: t('archive'),
      icon: <IconArchive size={15} />,
      onClick: () => setAsking('archive'),
    },
  ];
  return (
    <>
      <RowMenu name={name} actions={offers.filter(({ needs }) => !needs || client.can.includes(needs))} />
      {historyOpen && <HistoryDialog id={client.id} name={name} onClose={() => setHistoryOpen(false)} />}
      {asking && (
        <ConfirmDialog
          title={t(`clients.confirm.${asking}`, { name })}
          confirmLabel={asking === 'suspend' ? t('clients.suspend') : t('archive')}
          busyLabel={t('common:saving')}
          busy={save.isPending}
          danger
          onConfirm={() => save.mutate(asking)}
          onClose={() => setAsking(null)}
        >
          {t(`clients.confirm_text.${asking}`)}
        </ConfirmDialog>
      )}
    </>
  );
}
