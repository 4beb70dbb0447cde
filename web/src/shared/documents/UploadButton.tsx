import { ActionIcon, Button, Tooltip, type ButtonProps } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconCamera } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';

interface Props extends ButtonProps {
  /** Accessible name. */
  label: string;
  children: string;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
}

/** Button that opens the file chooser; phones get the camera beside it. */
export function UploadButton({ label, children, multiple = false, onFiles, ...button }: Props) {
  const { t } = useTranslation('documents');
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const hasCamera = useMediaQuery('(pointer: coarse)');
  const take = (input: HTMLInputElement) => {
    const files = [...(input.files ?? [])];
    input.value = '';
    if (files.length > 0) onFiles(files);
  };
  return (
    <>
      <Button {...button} aria-label={label} onClick={() => chooser.current?.click()}>
        {children}
      </Button>
      <input
        ref={chooser}
        type="file"
        multiple={multiple}
        hidden
        aria-label={label}
        onChange={(event) => take(event.currentTarget)}
      />
      {hasCamera && (
        <>
          <Tooltip label={t('upload.camera')}>
            <ActionIcon
              variant="default"
              size={44}
              aria-label={t('upload.camera')}
              onClick={() => camera.current?.click()}
            >
              <IconCamera size={18} />
            </ActionIcon>
          </Tooltip>
          <input
            ref={camera}
            type="file"
            accept="image/*"
            capture="environment"
            hidden
            onChange={(event) => take(event.currentTarget)}
          />
        </>
      )}
    </>
  );
}
