import { Button } from '@mantine/core';
import {
  IconFileUpload,
  IconFolderPlus,
  IconMessageCircle,
  IconReceipt2,
  type Icon,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../../paths';
import { GENERAL_THREAD } from '../../shared/messages/generalThread';
import { ActionGrid } from '../../ui/ActionGrid';
import { Section } from '../../ui/Section';

/** Quick actions of clients. */
export function QuickActions() {
  const { t } = useTranslation(['client', 'messages']);
  return (
    <Section title={t('quick.title')}>
      <ActionGrid>
        <Action to={paths.clientNewOrder} icon={IconFolderPlus} label={t('quick.new_order')} />
        <Action to={paths.clientDocuments} icon={IconFileUpload} label={t('quick.upload')} />
        <Action
          to={paths.clientThread(GENERAL_THREAD)}
          icon={IconMessageCircle}
          label={t('messages:contact')}
        />
        <Action to={paths.clientBilling} icon={IconReceipt2} label={t('quick.make_payment')} />
      </ActionGrid>
    </Section>
  );
}

function Action({ to, icon: Picture, label }: { to: string; icon: Icon; label: string }) {
  return (
    <Button
      component={Link}
      to={to}
      variant="default"
      justify="flex-start"
      leftSection={<Picture size={16} stroke={1.75} aria-hidden="true" />}
    >
      {label}
    </Button>
  );
}
