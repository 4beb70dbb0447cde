import {
  IconArchive,
  IconDeviceMobileOff,
  IconEye,
  IconLogout,
  IconMail,
  IconRestore,
  IconUserCog,
  IconUserOff,
} from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { actBody } from '../../../api/approvals';
import { api, body, versionedBody } from '../../../api/client';
import type { Account } from '../../../api/types';
import { toastWaiting } from '../../../shared/approvals/waiting';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import type { RowAction } from '../../../ui/RowMenu';
import { toast } from '../../../ui/toasts';
import { ImpersonateForm } from './ImpersonateForm';
import { RoleForm } from './RoleForm';

type ActionInput = 'invite' | 'suspend' | 'restore' | 'archive' | 'reset_mfa' | 'sign_out';
type Dialog = Exclude<ActionInput, 'invite' | 'restore'> | 'role' | 'impersonate';

/** Null where the act waits for a second super admin. */
function runAction(user: Account, action: ActionInput): Promise<Account | null> {
  const request = { params: versionedBody(user), body: {} };
  const call = { params: { path: { id: user.id } }, body: {} };
  if (action === 'invite') return body(api.POST('/rest/v1/users/{id}/invite', call));
  if (action === 'reset_mfa') return body(api.POST('/rest/v1/users/{id}/reset-mfa', call));
  if (action === 'sign_out') return body(api.POST('/rest/v1/users/{id}/sign-out', call));
  if (action === 'suspend') return body(api.POST('/rest/v1/users/{id}/suspend', request));
  if (action === 'archive') return body(api.POST('/rest/v1/users/{id}/archive', request));
  return actBody<Account>(api.POST('/rest/v1/users/{id}/restore', request));
}

/** Actions on an account and their dialogs. */
export function useUserActions(user: Account): { actions: RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(['users', 'common']);
  const [open, setOpen] = useState<Dialog>();
  const close = () => setOpen(undefined);
  const name = `${user.first_name} ${user.last_name}`;
  const save = useSave({
    save: async (action: ActionInput) => {
      const changed = await runAction(user, action);
      return { action, waits: !changed };
    },
    invalidates: ['user', 'approval'],
    onSaved: ({ action, waits }) => {
      close();
      if (waits) return toastWaiting();
      return toast({ title: t(`done.${action}`), description: action === 'invite' ? user.email : name });
    },
  });
  const all: (RowAction & { needs: string })[] = [
    { needs: 'role', label: t('act.role'), icon: <IconUserCog size={15} />, onClick: () => setOpen('role') },
    {
      needs: 'invite',
      label: t('act.invite'),
      icon: <IconMail size={15} />,
      onClick: () => save.mutate('invite'),
    },
    {
      needs: 'impersonate',
      label: t('act.impersonate'),
      icon: <IconEye size={15} />,
      onClick: () => setOpen('impersonate'),
    },
    {
      needs: 'sign_out',
      label: t('act.sign_out'),
      icon: <IconLogout size={15} />,
      onClick: () => setOpen('sign_out'),
    },
    {
      needs: 'reset_mfa',
      label: t('act.reset_mfa'),
      icon: <IconDeviceMobileOff size={15} />,
      onClick: () => setOpen('reset_mfa'),
    },
    {
      needs: 'restore',
      label: t('act.restore'),
      icon: <IconRestore size={15} />,
      onClick: () => save.mutate('restore'),
    },
    {
      needs: 'suspend',
      label: t('act.suspend'),
      icon: <IconUserOff size={15} />,
      danger: true,
      onClick: () => setOpen('suspend'),
    },
    {
      needs: 'archive',
      label: t('act.archive'),
      icon: <IconArchive size={15} />,
      danger: true,
      onClick: () => setOpen('archive'),
    },
  ];
  const asks = open !== 'role' && open !== 'impersonate' ? open : undefined;
  return {
    actions: all.filter((action) => user.can.includes(action.needs)),
    dialog: (
      <>
        {open === 'role' && <RoleForm user={user} onClose={close} />}
        {open === 'impersonate' && <ImpersonateForm user={user} onClose={close} />}
        {asks && (
          <ConfirmDialog
            title={t(`confirm.${asks}`, { name })}
            confirmLabel={t(`act.${asks}`)}
            busyLabel={t('common:saving')}
            busy={save.isPending}
            danger={asks === 'suspend' || asks === 'archive'}
            onConfirm={() => save.mutate(asks)}
            onClose={close}
          >
            {t(`confirm_text.${asks}`)}
          </ConfirmDialog>
        )}
      </>
    ),
  };
}
