import { Anchor, Button, Stack, Text } from '@mantine/core';
import { IconMail, IconPhone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../api/queries';
import { paths } from '../../paths';
import { GENERAL_THREAD } from '../../shared/messages/generalThread';
import { Section } from '../../ui/Section';
import classes from './NeedHelp.module.css';

export function NeedHelp() {
  const { t } = useTranslation(['client', 'messages']);
  // Settings changes send no event to clients.
  const { data } = useQuery({ ...queries.settings(), refetchInterval: 60_000 });
  const { name, email, phone } = data?.representative ?? {};
  return (
    <Section title={t('help.title')}>
      <Text size="sm" c="dimmed">
        {t('help.text')}
      </Text>
      <Stack gap={6} mt="sm" fz="sm">
        {name && (
          <Text fw={500} size="sm">
            {name}
          </Text>
        )}
        {email && (
          <Anchor href={`mailto:${email}`} className={classes.way} size="sm">
            <IconMail size={15} aria-hidden="true" />
            {email}
          </Anchor>
        )}
        {phone && (
          <Anchor href={`tel:${phone.replaceAll(/[^+\d]/g, '')}`} className={classes.way} size="sm">
            <IconPhone size={15} aria-hidden="true" />
            {phone}
          </Anchor>
        )}
      </Stack>
      <Button component={Link} to={paths.clientThread(GENERAL_THREAD)} variant="default" fullWidth mt="sm">
        {t('messages:write_to_us')}
      </Button>
    </Section>
  );
}
