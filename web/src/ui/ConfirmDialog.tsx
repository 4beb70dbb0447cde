import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { BusyButton } from './BusyButton';
import { Dialog } from './Dialog';

interface Props {
  title: string;
  children: ReactNode;
  /** Verb of the action. */
  confirmLabel: string;
  busyLabel: string;
  busy: boolean;
  danger?: boolean;
  /** The text explains why it cannot be done: no confirm button. */
  blocked?: boolean;
  /** Alternative action, such as Archive instead of Delete. */
  alternative?: ReactNode;
  onConfirm: () => void;
  onClose: () => void;
}

export function ConfirmDialog(props: Props) {
  const { t } = useTranslation('common');
  return (
    <Dialog onClose={props.onClose} title={props.title} size="md">
      <Text component="div" size="md">
        {props.children}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose} disabled={props.busy} data-autofocus>
          {t('cancel')}
        </Button>
        {props.alternative}
        {!props.blocked && (
          <BusyButton
            color={props.danger ? 'red' : undefined}
            busy={props.busy}
            label={props.confirmLabel}
            busyLabel={props.busyLabel}
            onClick={props.onConfirm}
          />
        )}
      </Group>
    </Dialog>
  );
}
