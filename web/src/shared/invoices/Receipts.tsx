import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body, idempotencyHeaders } from '../../api/client';
import { errorText } from '../../api/errors';
import type { InvoiceDetail } from '../../api/types';
import { dateTime } from '../../messages/format';
import { actorName } from '../../messages/actorName';
import { DocumentLine } from '../documents/DocumentLine';
import { UploadArea } from '../documents/UploadArea';
import {
  dismissUpload,
  markAttaching,
  markUnattached,
  uploadsForTarget,
  type RunningUpload,
  type Target,
} from '../documents/uploads';
import { useMe } from '../session/me';
import { Section } from '../../ui/Section';
import { toast } from '../../ui/toasts';
import classes from './InvoiceView.module.css';

interface Props {
  invoice: InvoiceDetail;
  /** Staff actions. */
  actions?: ReactNode;
}

/** Payment receipts of an invoice, with upload. */
export function Receipts({ invoice, actions }: Props) {
  const { t } = useTranslation(['billing', 'common']);
  const { id: user, role } = useMe();
  const isClient = role === 'client';
  const { id, number, spv_id } = invoice;
  const maySend = invoice.can.includes('send_receipt');
  if (invoice.receipts.length === 0 && !maySend) return null;
  const target: Target = { spv_id, attach: `receipt ${id}` };
  const uploadOf = (documentId: string) =>
    uploadsForTarget(target, user).find((upload) => upload.documentId === documentId)?.id;
  const sendIn = async (documentId: string) => {
    try {
      await body(
        api.POST('/rest/v1/invoices/{id}/receipts', {
          // Idempotent: a document is attached as receipt once.
          params: { path: { id }, ...idempotencyHeaders(`receipt ${id} ${documentId}`) },
          body: { document_id: documentId },
        }),
      );
      const upload = uploadOf(documentId);
      if (upload !== undefined) dismissUpload(upload);
      for (const noun of ['invoices', 'documents']) void queryClient.invalidateQueries({ queryKey: [noun] });
      toast({ title: t('receipts.done'), description: number });
    } catch (error) {
      const upload = uploadOf(documentId);
      if (upload !== undefined) markUnattached(upload, errorText(error));
      toast({ title: t('common:error'), description: errorText(error), destructive: true });
    }
  };
  const retryAttach = ({ id: upload, documentId }: RunningUpload) => {
    if (!documentId) return;
    markAttaching(upload);
    void sendIn(documentId);
  };
  return (
    <Section title={t('receipts')} actions={actions}>
      <div className={classes.receipts}>
        {invoice.receipts.length > 0 && (
          <ul className={classes.payments} aria-label={t('receipts')}>
            {invoice.receipts.map(({ document, sent_by, created_at }) => (
              <li key={document.id}>
                <DocumentLine
                  document={document}
                  facts={
                    isClient
                      ? dateTime(created_at)
                      : t('receipts.sent', { name: actorName(t, sent_by), date: dateTime(created_at) })
                  }
                />
              </li>
            ))}
          </ul>
        )}
        {maySend && (
          <>
            <Text size="sm" c="dimmed">
              {isClient ? t('receipts.text') : t('receipts.text_office')}
            </Text>
            <UploadArea
              target={target}
              label={t('receipts.upload', { number })}
              single
              onUploaded={(documentId) => void sendIn(documentId)}
              onRetry={retryAttach}
            />
          </>
        )}
      </div>
    </Section>
  );
}
