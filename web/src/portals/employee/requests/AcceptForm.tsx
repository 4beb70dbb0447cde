import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { Order, Request } from '../../../api/types';
import { toast } from '../../../ui/toasts';
import { ClientSpvForm } from '../spvs/SpvForm';

interface Props {
  request: Request;
  clientId: string;
  order: Order;
  onClose: () => void;
}

/** Accepts an order request: the order form prefilled from it. */
export function AcceptForm({ request, clientId, order, onClose }: Props) {
  const { t } = useTranslation('requests');
  // A price in another currency than the purchase amount is for the staff to agree.
  const service = order.service?.currency === order.currency ? order.service : undefined;
  return (
    <ClientSpvForm
      clientId={clientId}
      clientIsFixed
      title={t('accept.title', { reference: request.reference })}
      text={t('accept.text')}
      submitLabel={t('accept.submit')}
      known={{
        ...order,
        vehicle_name: order.proposed_names[0],
        price: service?.price,
        filing_fee: service?.filing_fee,
      }}
      // The request determines the client.
      save={(terms) =>
        body(api.POST('/rest/v1/requests/{id}/accept', { params: versionedBody(request), body: terms }))
      }
      onSaved={({ spv }) => {
        toast({ title: t('accept.done'), description: spv?.identifier });
        onClose();
      }}
      onClose={onClose}
    />
  );
}
