import { IconCheck, IconFileDescription, IconX } from '@tabler/icons-react';
import { Modal, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../../api/cache';
import { api, body, edited } from '../../../api/client';
import type { Request } from '../../../api/types';
import { RequestDetails } from '../../../shared/requests/RequestDetails';
import { useSave } from '../../../shared/useSave';
import { RowMenu, type RowAction } from '../../../ui/RowMenu';
import { toast } from '../../../ui/toasts';
import { ReasonDialog } from '../spvs/ReasonDialog';
import { AcceptForm } from './AcceptForm';

export interface Chosen {
  request: Request;
  dialog: 'accept' | 'reject' | 'details';
}

/** What the staff can do with a request. */
export function RequestMenu({ request, onChoose }: { request: Request; onChoose: (chosen: Chosen) => void }) {
  const { t } = useTranslation(['requests', 'common']);
  const setDialog = (dialog: Chosen['dialog']) => onChoose({ request, dialog });
  const offers: (RowAction & { needs?: string })[] = [
    {
      needs: 'accept',
      label: t('accept'),
      icon: <IconCheck size={15} />,
      onClick: () => setDialog('accept'),
    },
    {
      needs: 'reject',
      label: t('reject'),
      icon: <IconX size={15} />,
      onClick: () => setDialog('reject'),
    },
    { label: t('details'), icon: <IconFileDescription size={15} />, onClick: () => setDialog('details') },
  ];
  return (
    <RowMenu
      name={request.reference}
      actions={offers.filter(({ needs }) => !needs || request.can.includes(needs))}
    />
  );
}

/** The dialog of a chosen request. Beside the list, whose rows come and go while somebody types. */
export function RequestDialog({ chosen, onClose: close }: { chosen: Chosen; onClose: () => void }) {
  const { t } = useTranslation(['requests', 'common']);
  const { request, dialog } = chosen;
  const { order, user_id: clientId, reference } = request;
  const reject = useSave({
    save: (reason: string) =>
      body(api.POST('/rest/v1/requests/{id}/reject', { params: edited(request), body: { reason } })),
    saved: () => {
      close();
      void queryClient.invalidateQueries({ queryKey: ['requests'] });
      toast({ title: t('reject.done'), description: reference });
    },
  });
  return (
    <>
      {dialog === 'accept' && order && clientId && (
        <AcceptForm request={request} order={order} clientId={clientId} onClose={close} />
      )}
      {dialog === 'reject' && (
        <ReasonDialog
          title={t('reject.title', { reference })}
          text={t('reject.text')}
          confirmLabel={t('reject')}
          busy={reject.isPending}
          onConfirm={(reason) => reject.mutate(reason)}
          onClose={close}
        />
      )}
      {dialog === 'details' && (
        <Modal
          opened
          onClose={close}
          title={t('details_of', { reference })}
          size="lg"
          closeButtonProps={{ 'aria-label': t('common:close') }}
        >
          <RequestDetails request={request} />
          {request.reason && (
            <Text size="sm" mt="md">
              {t('reason', { reason: request.reason })}
            </Text>
          )}
        </Modal>
      )}
    </>
  );
}
