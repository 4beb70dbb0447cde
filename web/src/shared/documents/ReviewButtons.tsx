import { Button, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, edited } from '../../api/client';
import { queryClient } from '../../api/cache';
import type { DocumentRequest, SpvDetail } from '../../api/types';
import { FormModal } from '../../ui/FormModal';
import { toast } from '../../ui/toasts';
import { required } from '../rules';
import { useMissing, useSave } from '../useSave';
import { RequestForm } from './RequestForm';

type Way = 'return' | 'waive';

/** What the staff do about a request: approve, send back, do without, change. */
export function ReviewButtons({ request, spv }: { request: DocumentRequest; spv: SpvDetail }) {
  const { t } = useTranslation('documents');
  const [asking, setAsking] = useState<Way | 'edit' | null>(null);
  const { name, can } = request;
  const approve = useSave({
    save: () =>
      body(api.POST('/rest/v1/document-requests/{id}/approve', { params: edited(request), body: {} })),
    saved: () => {
      settle();
      toast({ title: t('request.approved'), description: name });
    },
  });
  const button = (key: Way | 'edit', words: string, of: string) => (
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
        <Reason request={request} way={asking} onClose={() => setAsking(null)} />
      )}
    </>
  );
}

function settle(): void {
  for (const noun of ['document_requests', 'documents', 'spvs']) {
    void queryClient.invalidateQueries({ queryKey: [noun] });
  }
}

function Reason({ request, way, onClose }: { request: DocumentRequest; way: Way; onClose: () => void }) {
  const { t } = useTranslation(['documents', 'common', 'names']);
  const missing = useMissing();
  const form = useForm({ initialValues: { reason: '' }, validate: { reason: required } });
  const save = useSave({
    form,
    save: ({ reason }: { reason: string }) => {
      const options = { params: edited(request), body: { reason } };
      return body(
        way === 'return'
          ? api.POST('/rest/v1/document-requests/{id}/return', options)
          : api.POST('/rest/v1/document-requests/{id}/waive', options),
      );
    },
    saved: () => {
      settle();
      toast({ title: t(`request.${way}_done`), description: request.name });
      onClose();
    },
  });
  return (
    <FormModal
      title={t(`request.${way}_of`, { name: request.name })}
      text={t(`request.${way}_text`)}
      size="md"
      submitLabel={t(`request.${way}`)}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values), missing)}
      onClose={onClose}
    >
      <Textarea
        label={t('names:field.reason')}
        required
        autosize
        minRows={3}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormModal>
  );
}
