import { IconFileTypeCsv } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { todayInUserZone } from '../messages/format';
import { useSave } from './useSave';
import { BusyButton } from '../ui/BusyButton';
import { saveBlob } from '../ui/saveText';
import { toast } from '../ui/toasts';

interface Props {
  /** File name without extension. */
  name: string;
  /** Default: Export CSV. */
  label?: string;
  load: () => Promise<Blob>;
}

/** Exports all rows of a table as CSV, not only loaded ones. */
export function ExportButton({ name, label, load }: Props) {
  const { t } = useTranslation('employee');
  const { mutate, isPending } = useSave({
    save: load,
    onSaved: (blob) => {
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
      label={label ?? t('export.button')}
      busyLabel={t('export.busy')}
      onClick={() => mutate()}
    />
  );
}
