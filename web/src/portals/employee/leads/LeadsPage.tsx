import { Anchor } from '@mantine/core';
import { IconUserCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Lead } from '../../../api/types';
import { paths } from '../../../paths';
import { LeadTable } from '../../../shared/leads/LeadTable';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { ConvertForm } from './ConvertForm';

/** What partners bring: a lead that is ready becomes a client with an order. */
export function Component() {
  const { t } = useTranslation('partners');
  const [ripe, setRipe] = useState<Lead | null>(null);
  return (
    <>
      <PageHeader title={t('leads.title')} text={t('leads.text_desk')} />
      <LeadTable
        withIso
        actions={(lead) =>
          lead.spv_id ? (
            <Anchor component={Link} to={paths.employeeOrder(lead.spv_id)} size="sm">
              {t('clients.order')}
            </Anchor>
          ) : (
            lead.can.includes('convert') && (
              <RowMenu
                name={`${lead.first_name} ${lead.last_name}`}
                actions={[
                  {
                    label: t('leads.convert'),
                    icon: <IconUserCheck size={15} />,
                    onClick: () => setRipe(lead),
                  },
                ]}
              />
            )
          )
        }
      />
      {ripe && <ConvertForm lead={ripe} onClose={() => setRipe(null)} />}
    </>
  );
}
