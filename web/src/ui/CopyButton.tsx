import { ActionIcon, Button, Tooltip, type ButtonProps } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from './copyText';

interface Props extends ButtonProps {
  text: string;
  /** Name of the copied value, for the accessible label. */
  name?: string;
  onCopied?: () => void;
}

/** Shows success or failure for two seconds. */
export function CopyButton({ text, name, onCopied, ...rest }: Props) {
  const { t } = useTranslation('common');
  const { outcome, copy } = useCopy(text, onCopied);
  return (
    <>
      <Button
        variant="default"
        {...rest}
        leftSection={outcome === 'copied' ? <IconCheck size={15} /> : <IconCopy size={15} />}
        aria-label={name && `${t('copy')}: ${name}`}
        onClick={() => void copy()}
      >
        {t(outcome ?? 'copy')}
      </Button>
      <span className="sr-only" role="status">
        {outcome && t(outcome)}
      </span>
    </>
  );
}

/** Copies a value that stands beside it. */
export function CopyIcon({ text, name }: { text: string; name: string }) {
  const { t } = useTranslation('common');
  const { outcome, copy } = useCopy(text);
  return (
    <>
      <Tooltip label={t(outcome ?? 'copy')} openDelay={300}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          aria-label={`${t('copy')}: ${name}`}
          onClick={() => void copy()}
        >
          {outcome === 'copied' ? <IconCheck size={15} /> : <IconCopy size={15} />}
        </ActionIcon>
      </Tooltip>
      <span className="sr-only" role="status">
        {outcome && t(outcome)}
      </span>
    </>
  );
}

function useCopy(text: string, onCopied?: () => void) {
  const [outcome, setOutcome] = useState<'copied' | 'copy_failed'>();
  useEffect(() => {
    if (!outcome) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    const copied = await copyText(text);
    setOutcome(copied ? 'copied' : 'copy_failed');
    if (copied) onCopied?.();
  };
  return { outcome, copy };
}
