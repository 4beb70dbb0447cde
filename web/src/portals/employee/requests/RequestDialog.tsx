import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { Request } from '../../../api/types';
import { ReasonDialog } from '../../../shared/ReasonDialog';
import { orNull } from '../../../shared/validators';
import { useSave } from '../../../shared/useSave';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import { ConfirmForm } from '../calls/ConfirmForm';
import { ClientForm } from '../clients/ClientForm';
import { CompanyForm } from '../companies/CompanyForm';
import { IsoForm } from '../isos/IsoForm';
import { ConvertForm } from '../leads/ConvertForm';
import { AcceptForm } from './AcceptForm';

export interface SelectedRequest {
  request: Request;
  dialog:
    | 'accept'
    | 'approve'
    | 'create_client'
    | 'create_iso'
    | 'create_company'
    | 'convert'
    | 'confirm'
    | 'reject';
}

/** Dialog of the selected request. Beside the list, whose rows change while the user types. */
export function RequestDialog({ chosen, onClose: close }: { chosen: SelectedRequest; onClose: () => void }) {
  const { t } = useTranslation('requests');
  const { request, dialog } = chosen;
  const { order, user_id: clientId, reference } = request;
  const reject = useSave({
    save: (reason: string) =>
      body(api.POST('/rest/v1/requests/{id}/reject', { params: versionedBody(request), body: { reason } })),
    invalidates: ['request', 'lead', 'call'],
    onSaved: () => {
      close();
      toast({ title: t('reject.done'), description: reference });
    },
  });
  switch (dialog) {
    case 'accept':
      return (
        order &&
        clientId && <AcceptForm request={request} order={order} clientId={clientId} onClose={close} />
      );
    case 'approve':
      return <ApproveForm request={request} onClose={close} />;
    case 'create_client':
      // An email with an account is no application: such a request is rejected with a reason.
      return <ClientForm setup="quick" request={request} onClose={close} />;
    case 'create_iso':
      return <IsoForm request={request} onClose={close} />;
    case 'create_company':
      return <CompanyForm company={null} request={request} onClose={close} />;
    case 'convert':
      return request.lead_id && <Convert lead={request.lead_id} onClose={close} />;
    case 'confirm':
      return request.call_id && <Confirm call={request.call_id} onClose={close} />;
    case 'reject':
      return (
        <ReasonDialog
          title={t('reject.title', { reference })}
          text={t(rejectText(request))}
          confirmLabel={t('reject')}
          save={reject}
          onConfirm={(reason) => reject.mutate(reason)}
          onClose={close}
        />
      );
  }
}

function rejectText({ kind, lead_id: brought, call_id: call }: Request) {
  if (brought) return 'reject.text_brought';
  if (call) return 'reject.text_call';
  return kind === 'lead' ? 'reject.text_lead' : 'reject.text';
}

/** Lead form, which loads the lead. */
function Convert({ lead: id, onClose }: { lead: string; onClose: () => void }) {
  const load = () => body(api.GET('/rest/v1/leads/{id}', { params: { path: { id } } }));
  const lead = useInitialValue(['lead', id], load, onClose);
  return lead && <ConvertForm lead={lead} onClose={onClose} />;
}

function Confirm({ call: id, onClose }: { call: string; onClose: () => void }) {
  const load = () => body(api.GET('/rest/v1/calls/{id}', { params: { path: { id } } }));
  const call = useInitialValue(['call', id], load, onClose);
  return call && <ConfirmForm call={call} onClose={onClose} />;
}

/** The initial value of a form: its version detects later changes. */
function useInitialValue<T>(key: string[], load: () => Promise<T>, onFailed: () => void) {
  const { t } = useTranslation('common');
  const queryKey = ['opened', ...key];
  const { data, error } = useQuery({ queryKey, queryFn: load, staleTime: 'static', gcTime: 0 });
  const failed = useEffectEvent((why: Error) => {
    toast({ title: t('error'), description: errorText(why), destructive: true });
    onFailed();
  });
  useEffect(() => {
    if (error) failed(error);
  }, [error]);
  return data;
}

/** Approves a request with an answer; a colleague application sends an invite. */
function ApproveForm({ request, onClose }: { request: Request; onClose: () => void }) {
  const { t } = useTranslation(['requests', 'common', 'names']);
  const form = useForm({ initialValues: { reply: '' } });
  const applies = request.kind === 'account';
  // A lead entered by staff has no sender to answer.
  const lead = request.kind === 'lead';
  const save = useSave({
    form,
    save: (reply: string | null) =>
      body(api.POST('/rest/v1/requests/{id}/approve', { params: versionedBody(request), body: { reply } })),
    invalidates: 'request',
    onSaved: () => {
      toast({ title: t('approve.done'), description: request.reference });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('approve.title', { reference: request.reference })}
      text={
        applies
          ? t('approve.text_colleague', { name: request.name })
          : t(lead ? 'approve.text_lead' : 'approve.text')
      }
      size="md"
      submitLabel={applies ? t('approve.invite') : t('approve')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit(({ reply }) => save.mutate(orNull(reply)))}
      onClose={onClose}
    >
      {!applies && (
        <Textarea
          label={t(lead ? 'names:field.note' : 'names:field.reply')}
          description={t(lead ? 'approve.reply_lead' : 'approve.reply_text')}
          autosize
          minRows={3}
          data-autofocus
          {...form.getInputProps('reply')}
        />
      )}
    </FormModal>
  );
}
