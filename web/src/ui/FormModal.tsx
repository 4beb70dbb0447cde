import { Button, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { BusyButton } from './BusyButton';
import { clearUnsaved, useUnsaved } from './unsavedChanges';
import { Dialog } from './Dialog';
import classes from './FormModal.module.css';

interface Props {
  title: string;
  text?: ReactNode;
  submitLabel: string;
  busyLabel: string;
  busy: boolean;
  /** Unsaved input: closing asks first. */
  dirty: boolean;
  /** Form error above the buttons. */
  problem?: ReactNode;
  size?: string;
  /** Additional action at the other end. */
  aside?: ReactNode;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children: ReactNode;
}

/** Form dialog. Mount to open, so that state resets. */
export function FormModal(props: Props) {
  const { t } = useTranslation('common');
  const phone = useMediaQuery('(max-width: 600px)');
  const [asking, setAsking] = useState(false);
  // Browser back closes the dialog.
  useUnsaved(props.dirty && !props.busy);
  const close = () => {
    if (props.busy) return;
    if (props.dirty && !asking) setAsking(true);
    else props.onClose();
  };
  return (
    <Dialog
      onClose={close}
      title={props.title}
      size={props.size ?? 'lg'}
      fullScreen={phone}
      closeOnClickOutside={!props.dirty}
    >
      <form onSubmit={props.onSubmit} noValidate>
        {props.text && (
          <Text size="sm" c="dimmed" mb="md">
            {props.text}
          </Text>
        )}
        <div className={classes.fields}>{props.children}</div>
        {props.problem && (
          <div className={classes.problem} role="alert">
            {props.problem}
          </div>
        )}
        {asking ? (
          <div className={classes.footer} role="alertdialog" aria-label={t('discard')}>
            <Text size="sm" mr="auto">
              {t('discard')}
            </Text>
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              {t('keep_editing')}
            </Button>
            <Button
              color="red"
              onClick={() => {
                clearUnsaved();
                props.onClose();
              }}
            >
              {t('discard_yes')}
            </Button>
          </div>
        ) : (
          <div className={classes.footer}>
            {props.aside && <div className={classes.aside}>{props.aside}</div>}
            <Button variant="default" onClick={close} disabled={props.busy}>
              {t('cancel')}
            </Button>
            <BusyButton
              type="submit"
              busy={props.busy}
              label={props.submitLabel}
              busyLabel={props.busyLabel}
            />
          </div>
        )}
      </form>
    </Dialog>
  );
}

/** Two fields side by side, stacked on a phone. */
export function FieldPair({ children }: { children: ReactNode }) {
  return <div className={classes.pair}>{children}</div>;
}
