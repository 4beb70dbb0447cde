import { IconCalendarPlus, IconCalendarX, IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { Call } from '../../../api/types';
import { CallTable, saveCalendar } from '../../../shared/calls/CallTable';
import { ReasonDialog } from '../../../shared/ReasonDialog';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { toast } from '../../../ui/toasts';
import { ConfirmForm } from './ConfirmForm';

/** Calls requested by partners: confirm or decline. */
export function Component() {
  const { t } = useTranslation(['partners', 'common']);
  const [dialog, setDialog] = useState<{ name: 'confirm' | 'decline' | 'cancel'; call: Call } | null>(null);
  const close = () => setDialog(null);
  const calendar = useSave({ save: saveCalendar, onSaved: () => undefined });
  const decline = useSave({
    save: ({ call, reason }: { call: Call; reason: string }) =>
      body(api.POST('/rest/v1/calls/{id}/decline', { params: versionedBody(call), body: { reason } })),
    invalidates: 'call',
    onSaved: (call) => {
      close();
      toast({ title: t('calls.decline.done'), description: call.topic });
    },
  });
  const cancel = useSave({
    save: (call: Call) =>
      body(api.POST('/rest/v1/calls/{id}/cancel', { params: versionedBody(call), body: {} })),
    invalidates: 'call',
    onSaved: (call) => {
      close();
      toast({ title: t('calls.cancel.done'), description: call.topic });
    },
  });
  return (
    <>
      <PageHeader title={t('calls.title')} text={t('calls.text_desk')} />
      <CallTable
        withIso
        empty={{ title: t('calls.empty_desk') }}
        actions={(call) => (
          <RowMenu
            name={call.topic}
            actions={[
              {
                needs: 'confirm',
                label: t('calls.answer.submit'),
                icon: <IconCheck size={15} />,
                onClick: () => setDialog({ name: 'confirm', call }),
              },
              {
                needs: 'decline',
                label: t('calls.decline'),
                icon: <IconX size={15} />,
                onClick: () => setDialog({ name: 'decline', call }),
              },
              {
                needs: 'calendar',
                label: t('calls.ics'),
                icon: <IconCalendarPlus size={15} />,
                onClick: () => calendar.mutate(call),
              },
              {
                needs: 'cancel',
                label: t('calls.cancel'),
                icon: <IconCalendarX size={15} />,
                danger: true,
                onClick: () => setDialog({ name: 'cancel', call }),
              },
            ].filter(({ needs }) => call.can.includes(needs))}
          />
        )}
      />
      {dialog?.name === 'confirm' && <ConfirmForm call={dialog.call} onClose={close} />}
      {dialog?.name === 'cancel' && (
        <ConfirmDialog
          title={t('calls.cancel.title', { topic: dialog.call.topic })}
          confirmLabel={t('calls.cancel')}
          busyLabel={t('common:saving')}
          busy={cancel.isPending}
          danger
          onConfirm={() => cancel.mutate(dialog.call)}
          onClose={close}
        >
          {t('calls.cancel.text_desk', { name: dialog.call.iso_name })}
        </ConfirmDialog>
      )}
      {dialog?.name === 'decline' && (
        <ReasonDialog
          title={t('calls.decline.title', { name: dialog.call.iso_name })}
          text={t('calls.decline.text')}
          confirmLabel={t('calls.decline')}
          save={decline}
          onConfirm={(reason) => decline.mutate({ call: dialog.call, reason })}
          onClose={close}
        />
      )}
    </>
  );
}
