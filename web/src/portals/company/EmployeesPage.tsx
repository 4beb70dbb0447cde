import { Button } from '@mantine/core';
import { IconMail, IconRestore, IconUserMinus, IconUserPlus, IconUsersGroup } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { lists } from '../../api/lists';
import type { CompanyMember } from '../../api/types';
import { paths } from '../../paths';
import { ListGrid } from '../../shared/grid/ListGrid';
import { useFlag } from '../../shared/queryParams';
import { useMe } from '../../shared/session/me';
import { useSave } from '../../shared/useSave';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { RelativeTime } from '../../ui/DateText';
import { PageHeader } from '../../ui/PageHeader';
import { RowMenu, type RowAction } from '../../ui/RowMenu';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import { Tag } from '../../ui/Tag';
import { toast } from '../../ui/toasts';
import type { GridColumn } from '../../ui/grid/columns';
import { useCompany } from './companyContext';
import { InviteForm } from './InviteForm';

type ActionInput = 'invite' | 'remove' | 'restore';

function runAction(id: string, action: ActionInput): Promise<CompanyMember> {
  const call = { params: { path: { id } }, body: {} };
  if (action === 'invite') return body(api.POST('/rest/v1/members/{id}/invite', call));
  if (action === 'remove') return body(api.POST('/rest/v1/members/{id}/remove', call));
  return body(api.POST('/rest/v1/members/{id}/restore', call));
}

const nameOf = (member: CompanyMember) => `${member.first_name} ${member.last_name}`;

/** Company admins, who invite and remove each other. */
export function Component() {
  const { t } = useTranslation(['company', 'names', 'common']);
  const me = useMe();
  const company = useCompany();
  const [inviting, setInviting] = useFlag('new');
  const columns: GridColumn<CompanyMember>[] = [
    {
      key: 'name',
      header: t('names:field.name'),
      sort: 'first_name',
      phone: 'title',
      link: nameOf,
      cell: (member) =>
        member.id === me.id && (
          <>
            {' '}
            <Tag tone="rest">{t('employees.you')}</Tag>
          </>
        ),
    },
    {
      key: 'email',
      whole: true,
      header: t('names:field.email'),
      phone: 'text',
      cell: (member) => member.email,
    },
    { key: 'phone', whole: true, header: t('names:field.phone'), cell: (member) => member.phone ?? '—' },
    {
      key: 'status',
      width: 116,
      header: t('common:status'),
      phone: 'end',
      cell: (member) => <StatusBadge kind="profile" status={member.status} />,
    },
    {
      key: 'seen',
      width: 150,
      header: t('employees.last_sign_in'),
      sort: 'last_sign_in_at',
      descendingFirst: true,
      cell: (member) => (member.last_sign_in_at ? <RelativeTime at={member.last_sign_in_at} /> : '—'),
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (member) => <MemberMenu member={member} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t('nav.employees')}
        text={t('employees.text')}
        actions={
          <Button
            leftSection={<IconUserPlus size={16} aria-hidden="true" />}
            onClick={() => setInviting(true)}
          >
            {t('employees.invite')}
          </Button>
        }
      />
      <Section title={t('employees.list')} flush>
        <ListGrid<CompanyMember>
          list="members"
          label={t('employees.list')}
          columns={columns}
          rows={({ filters, ...query }) =>
            lists.members(company.id, { ...query, removed: filters.removed === 'true' || undefined })
          }
          rowKey={(member) => member.id}
          rowName={nameOf}
          hrefOf={me.role === 'super_admin' ? (member) => paths.adminUser(member.id) : undefined}
          defaultSort={{ key: 'created_at', descending: true }}
          filters={[
            {
              key: 'removed',
              label: t('employees.removed'),
              choices: [{ value: 'true', label: t('employees.removed_yes') }],
            },
          ]}
          views={[{ key: 'removed', name: t('employees.removed'), query: 'removed=true' }]}
          search={t('employees.search')}
          empty={<EmptyState icon={<IconUsersGroup size={20} />} title={t('employees.empty')} />}
        />
      </Section>
      {inviting && <InviteForm companyId={company.id} onClose={() => setInviting(false)} />}
    </>
  );
}

function MemberMenu({ member }: { member: CompanyMember }) {
  const { t } = useTranslation(['company', 'common']);
  const [asking, setAsking] = useState(false);
  const name = nameOf(member);
  const save = useSave({
    save: async (action: ActionInput) => {
      await runAction(member.id, action);
      return action;
    },
    invalidates: 'company',
    onSaved: (action) => {
      setAsking(false);
      toast({ title: t(`employees.done.${action}`), description: name });
    },
  });
  const offers: (RowAction & { needs: ActionInput })[] = [
    {
      needs: 'invite',
      label: t('employees.invite_again'),
      icon: <IconMail size={15} />,
      onClick: () => save.mutate('invite'),
    },
    {
      needs: 'restore',
      label: t('employees.restore'),
      icon: <IconRestore size={15} />,
      onClick: () => save.mutate('restore'),
    },
    {
      needs: 'remove',
      label: t('employees.remove'),
      icon: <IconUserMinus size={15} />,
      danger: true,
      onClick: () => setAsking(true),
    },
  ];
  return (
    <>
      <RowMenu name={name} actions={offers.filter((offer) => member.can.includes(offer.needs))} />
      {asking && (
        <ConfirmDialog
          title={t('employees.confirm', { name })}
          confirmLabel={t('employees.remove')}
          busyLabel={t('common:saving')}
          busy={save.isPending}
          danger
          onConfirm={() => save.mutate('remove')}
          onClose={() => setAsking(false)}
        >
          {t('employees.confirm_text')}
        </ConfirmDialog>
      )}
    </>
  );
}
