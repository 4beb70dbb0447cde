import { Button, type ButtonProps } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from './copyText';

interface Props extends ButtonProps {
  text: string;
  /** What is copied, for the button's name; the button itself says "Copy". */
  name?: string;
  onCopied?: () => void;
}

/** Says for two seconds that it worked, or that it did not. */
export function CopyButton({ text, name, onCopied, ...rest }: Props) {
  const { t } = useTranslation('common');
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
