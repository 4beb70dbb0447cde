import { Button } from '@mantine/core';
import { IconArrowRight, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { Lead, LeadStage } from '../../../api/types';
import { LeadTable, stages } from '../../../shared/leads/LeadTable';
import { useFlag } from '../../../shared/queryParams';
import { useSave } from '../../../shared/useSave';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { toast } from '../../../ui/toasts';
import { LeadForm } from './LeadForm';

/** Leads of the partner. */
export function Component() {
  const { t } = useTranslation(['partners', 'names']);
  const [edited, setEdited] = useState<Lead | null>(null);
  const [adding, setAdding] = useFlag('new');
  const move = useSave({
    save: ({ lead, stage }: { lead: Lead; stage: LeadStage }) =>
      body(api.PATCH('/rest/v1/leads/{id}', { params: versionedBody(lead), body: { stage } })),
    invalidates: 'lead',
    onSaved: (lead) => {
      toast({ title: t('leads.edit.done'), description: `${lead.first_name} ${lead.last_name}` });
    },
  });
  const add = <Button onClick={() => setAdding(true)}>{t('add_lead')}</Button>;
  return (
    <>
      <PageHeader
        title={t('leads.title')}
        text={`${t('leads.text')} ${t('leads.protection_text')}`}
        actions={add}
      />
      <LeadTable
        empty={add}
        actions={(lead) => (
          <RowMenu
            name={`${lead.first_name} ${lead.last_name}`}
            actions={
              !lead.can.includes('update')
                ? []
                : [
                    {
                      label: t('leads.edit'),
                      icon: <IconPencil size={15} />,
                      onClick: () => setEdited(lead),
                    },
                    ...stages
                      .filter((stage) => stage !== 'won' && stage !== lead.stage)
                      .map((stage) => ({
                        label: t('leads.stage_to', { stage: t(`names:lead_status.${stage}`) }),
                        icon: <IconArrowRight size={15} />,
                        onClick: () => move.mutate({ lead, stage }),
                      })),
                  ]
            }
          />
        )}
      />
      {adding && <LeadForm onClose={() => setAdding(false)} />}
      {edited && <LeadForm lead={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
