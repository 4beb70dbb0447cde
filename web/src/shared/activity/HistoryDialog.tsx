import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { Events } from './Timeline';
import { Dialog } from '../../ui/Dialog';

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
    <Dialog onClose={onClose} title={t('history.of', { name })} size="lg">
      <Events from={queries.activity({ subject_id: id, limit: 10 })} />
    </Dialog>
  );
}
