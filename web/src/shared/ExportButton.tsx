import { IconFileTypeCsv } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { todayInUserZone } from '../messages/format';
import { useSave } from './useSave';
import { BusyButton } from '../ui/BusyButton';
import { saveBlob } from '../ui/saveText';
import { toast } from '../ui/toasts';

interface Props {
  /** What the file is called, without its ending. */
  name: string;
  load: () => Promise<Blob>;
}

/** Saves all rows of a table as CSV, not only those that are on the screen. */
export function ExportButton({ name, load }: Props) {
  const { t } = useTranslation('employee');
  const { mutate, isPending } = useSave({
    save: load,
    saved: (blob) => {
      const file = `${name}-${todayInUserZone()}.csv`;
      saveBlob(file, blob);
      toast({ title: t('export.done'), description: file });
    },
  });
  return (
    <BusyButton
      variant="default"
      leftSection={<IconFileTypeCsv size={16} aria-hidden="true" />}
      busy={isPending}
      label={t('export.button')}
      busyLabel={t('export.busy')}
      onClick={() => mutate()}
    />
  );
}
