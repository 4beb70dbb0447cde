import { ActionIcon } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import type { CreditNote } from '../../api/types';
import { toast } from '../../ui/toasts';
import { downloadCreditNote } from './download';

/** Downloads a credit note as PDF. */
export function CreditNoteButton({ note: { id, number } }: { note: CreditNote }) {
  const { t } = useTranslation(['billing', 'common']);
  const download = useMutation({
    mutationFn: () => downloadCreditNote(id, `${number}.pdf`),
    onError: (error) => toast({ title: t('common:error'), description: errorText(error), destructive: true }),
  });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={32}
      aria-label={t('credit_notes.download', { number })}
      aria-busy={download.isPending}
      onClick={() => download.mutate()}
    >
      <IconDownload size={16} />
    </ActionIcon>
  );
}
