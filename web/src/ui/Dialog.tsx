import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Modal that is mounted open. Returns the focus when it closes, which Mantine does only for those opened later. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const { t } = useTranslation('common');
  useReturnFocus();
  return <Modal opened closeButtonProps={{ 'aria-label': t('close') }} {...props} />;
}

function useReturnFocus(): void {
  const [opener] = useState(findOpener);
  useEffect(
    () => () => {
      // After the dialog is gone, unless something else has taken the focus.
      requestAnimationFrame(() => {
        const free = !document.activeElement || document.activeElement === document.body;
        if (free && opener?.isConnected) opener.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}

/** The focused element; for an item of a menu, which closes, the menu's button. */
function findOpener(): HTMLElement | undefined {
  const focused = document.activeElement;
  const button = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : focused;
  return opener instanceof HTMLElement ? opener : undefined;
}
