import { Button } from '@mantine/core';
import { IconFileText, IconNotes, IconPhoneCall, IconUserPlus, type Icon } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../../paths';
import { ActionGrid } from '../../ui/ActionGrid';
import { Section } from '../../ui/Section';
import { CallForm } from './calls/CallForm';
import { LeadForm } from './leads/LeadForm';

export function QuickActions() {
  const { t } = useTranslation('partners');
  const [dialog, setDialog] = useState<'lead' | 'call' | null>(null);
  const close = () => setDialog(null);
  const buttonProps = (Picture: Icon) => ({
    variant: 'default',
    justify: 'flex-start',
    leftSection: <Picture size={16} stroke={1.75} aria-hidden="true" />,
  });
  return (
    <Section title={t('quick.title')}>
      <ActionGrid>
        <Button {...buttonProps(IconUserPlus)} onClick={() => setDialog('lead')}>
          {t('add_lead')}
        </Button>
        <Button {...buttonProps(IconPhoneCall)} onClick={() => setDialog('call')}>
          {t('call')}
        </Button>
        <Button {...buttonProps(IconFileText)} component={Link} to={paths.isoStatement}>
          {t('quick.report')}
        </Button>
        <Button {...buttonProps(IconNotes)} component={Link} to={paths.isoClients}>
          {t('quick.notes')}
        </Button>
      </ActionGrid>
      {dialog === 'lead' && <LeadForm onClose={close} />}
      {dialog === 'call' && <CallForm onClose={close} />}
    </Section>
  );
}
