import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { Events } from './Timeline';

interface Props {
  /** A client, company or partner. */
  id: string;
  name: string;
  onClose: () => void;
}

/** Activity history of a subject. */
export function HistoryDialog({ id, name, onClose }: Props) {
  const { t } = useTranslation(['employee', 'common']);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('history.of', { name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <Events from={queries.activity({ subject_id: id, limit: 10 })} />
    </Modal>
  );
}
