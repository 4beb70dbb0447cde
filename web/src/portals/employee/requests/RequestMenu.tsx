import {
  IconBuilding,
  IconCheck,
  IconEye,
  IconFileDescription,
  IconUserCheck,
  IconUserPlus,
  IconX,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { Request } from '../../../api/types';
import { paths } from '../../../paths';
import { useMe } from '../../../shared/session/me';
import { RowMenu, type RowAction } from '../../../ui/RowMenu';
import type { SelectedRequest } from './RequestDialog';
import { useRequestActions } from './useRequestActions';

/** Row menu of a request. */
export function RequestMenu({
  request,
  onChoose,
}: {
  request: Request;
  onChoose: (chosen: SelectedRequest) => void;
}) {
  const { t } = useTranslation('requests');
  const navigate = useNavigate();
  const me = useMe();
  const { review, change } = useRequestActions(request);
  const setDialog = (dialog: SelectedRequest['dialog']) => onChoose({ request, dialog });
  const offers: (RowAction & { needs?: string })[] = [
    {
      label: t('details'),
      icon: <IconFileDescription size={15} />,
      onClick: () => void navigate(paths.request(request.id)),
    },
    { needs: 'review', label: t('review'), icon: <IconEye size={15} />, onClick: () => review.mutate() },
    ...(request.assignee?.id === me.id
      ? []
      : [
          {
            needs: 'update',
            label: t('take'),
            icon: <IconUserCheck size={15} />,
            onClick: () => change.mutate({ assignee_id: me.id }),
          },
        ]),
    {
      needs: 'accept',
      label: t('accept'),
      icon: <IconCheck size={15} />,
      onClick: () => setDialog('accept'),
    },
    {
      needs: 'approve',
      label: t('approve'),
      icon: <IconCheck size={15} />,
      onClick: () => setDialog('approve'),
    },
    {
      needs: 'create_client',
      label: t('create_client'),
      icon: <IconUserPlus size={15} />,
      onClick: () => setDialog('create_client'),
    },
    {
      needs: 'create_iso',
      label: t('create_iso'),
      icon: <IconUserPlus size={15} />,
      onClick: () => setDialog('create_iso'),
    },
    {
      needs: 'create_company',
      label: t('create_company'),
      icon: <IconBuilding size={15} />,
      onClick: () => setDialog('create_company'),
    },
    {
      needs: 'convert',
      label: t('convert'),
      icon: <IconUserPlus size={15} />,
      onClick: () => setDialog('convert'),
    },
    {
      needs: 'confirm',
      label: t('confirm'),
      icon: <IconCheck size={15} />,
      onClick: () => setDialog('confirm'),
    },
    { needs: 'reject', label: t('reject'), icon: <IconX size={15} />, onClick: () => setDialog('reject') },
  ];
  return (
    <RowMenu
      name={request.reference}
      actions={offers.filter(({ needs }) => !needs || request.can.includes(needs))}
    />
  );
}
