import { Anchor } from '@mantine/core';
import { IconUserCheck, IconUserX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body, versionedBody } from '../../../api/client';
import type { Lead } from '../../../api/types';
import { paths } from '../../../paths';
import { LeadTable } from '../../../shared/leads/LeadTable';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { toast } from '../../../ui/toasts';
import { ConvertForm } from './ConvertForm';

const nameOf = (lead: Lead) => `${lead.first_name} ${lead.last_name}`;

/** Leads of partners, converted to clients with an order. */
export function Component() {
  const { t } = useTranslation(['partners', 'common']);
  const [ripe, setRipe] = useState<Lead | null>(null);
  const [losing, setLosing] = useState<Lead | null>(null);
  const lose = useSave({
    save: (lead: Lead) =>
      body(api.PATCH('/rest/v1/leads/{id}', { params: versionedBody(lead), body: { stage: 'lost' } })),
    invalidates: 'lead',
    onSaved: (lead) => {
      setLosing(null);
      toast({ title: t('leads.lose.done'), description: nameOf(lead) });
    },
  });
  return (
    <>
      <PageHeader title={t('leads.title')} text={t('leads.text_desk')} />
      <LeadTable
        withIso
        actions={(lead) => (
          <RowMenu
            name={nameOf(lead)}
            actions={
              lead.spv_id || !lead.can.includes('convert')
                ? []
                : [
                    {
                      label: t('leads.convert'),
                      icon: <IconUserCheck size={15} />,
                      onClick: () => setRipe(lead),
                    },
                    {
                      label: t('leads.lose'),
                      icon: <IconUserX size={15} />,
                      danger: true,
                      onClick: () => setLosing(lead),
                    },
                  ]
            }
            otherwise={
              lead.spv_id && (
                <Anchor component={Link} to={paths.employeeOrder(lead.spv_id)} size="sm">
                  {t('clients.order')}
                </Anchor>
              )
            }
          />
        )}
      />
      {losing && (
        <ConfirmDialog
          title={t('leads.lose.title', { name: nameOf(losing) })}
          confirmLabel={t('leads.lose')}
          busyLabel={t('common:saving')}
          busy={lose.isPending}
          danger
          onConfirm={() => lose.mutate(losing)}
          onClose={() => setLosing(null)}
        >
          {t('leads.lose.text', { iso: losing.iso_name })}
        </ConfirmDialog>
      )}
      {ripe && <ConvertForm lead={ripe} onClose={() => setRipe(null)} />}
    </>
  );
}
