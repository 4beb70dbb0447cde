import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../api/client';
import type { Noun } from '../../api/events';
import type { DocumentRequest, SpvDetail } from '../../api/types';
import { toast } from '../../ui/toasts';
import { ReasonDialog } from '../ReasonDialog';
import { useSave } from '../useSave';
import { RequestForm } from './RequestForm';

type ReviewAction = 'return' | 'waive';

function submitReview(
  request: DocumentRequest,
  action: ReviewAction,
  reason: string,
): Promise<DocumentRequest> {
  const call = { params: versionedBody(request), body: { reason } };
  if (action === 'return') return body(api.POST('/rest/v1/document-requests/{id}/return', call));
  return body(api.POST('/rest/v1/document-requests/{id}/waive', call));
}

/** Approval may unblock the step. */
const affectedNouns: Noun[] = ['document_request', 'step'];

/** Staff actions on a document request: approve, return, waive, edit. */
export function ReviewButtons({ request, spv }: { request: DocumentRequest; spv: SpvDetail }) {
  const { t } = useTranslation('documents');
  const [asking, setAsking] = useState<ReviewAction | 'edit' | null>(null);
  const { name, can } = request;
  const approve = useSave({
    save: () =>
      body(api.POST('/rest/v1/document-requests/{id}/approve', { params: versionedBody(request), body: {} })),
    invalidates: affectedNouns,
    onSaved: () => toast({ title: t('request.approved'), description: name }),
  });
  const save = useSave({
    save: async ({ action, reason }: { action: ReviewAction; reason: string }) => {
      await submitReview(request, action, reason);
      return action;
    },
    invalidates: affectedNouns,
    onSaved: (action) => {
      toast({ title: t(`request.${action}_done`), description: name });
      setAsking(null);
    },
  });
  const button = (key: ReviewAction | 'edit', words: string, of: string) => (
    <Button variant="default" size="compact-sm" aria-label={of} onClick={() => setAsking(key)}>
      {words}
    </Button>
  );
  return (
    <>
      {can.includes('approve') && (
        <Button
          size="compact-sm"
          disabled={approve.isPending}
          aria-label={t('request.approve_of', { name })}
          onClick={() => approve.mutate(undefined)}
        >
          {t('request.approve')}
        </Button>
      )}
      {can.includes('return') && button('return', t('request.return'), t('request.return_of', { name }))}
      {can.includes('waive') && button('waive', t('request.waive'), t('request.waive_of', { name }))}
      {can.includes('update') && button('edit', t('request.edit'), t('request.edit_of', { name }))}
      {asking === 'edit' && <RequestForm spv={spv} request={request} onClose={() => setAsking(null)} />}
      {(asking === 'return' || asking === 'waive') && (
        <ReasonDialog
          title={t(`request.${asking}_of`, { name })}
          text={t(`request.${asking}_text`)}
          confirmLabel={t(`request.${asking}`)}
          save={save}
          onConfirm={(reason) => save.mutate({ action: asking, reason })}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}
