import { Button } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '../session/me';
import { sendFiles, type Target } from './uploads';

/** Attaches files to a message or form; phones offer the camera. */
export function AttachButton({ target }: { target: Target }) {
  const { t } = useTranslation('documents');
  const { id: user } = useMe();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPaperclip size={15} />}
        onClick={() => input.current?.click()}
      >
        {t('attach')}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('attach')}
        onChange={(event) => {
          void sendFiles([...(event.currentTarget.files ?? [])], target, user);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
