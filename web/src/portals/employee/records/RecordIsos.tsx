import { IconBriefcase } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../../api/lists';
import type { Iso } from '../../../api/types';
import { paths } from '../../../paths';
import { RecordGrid } from '../../../shared/records/RecordGrid';
import { EmptyState } from '../../../ui/EmptyState';
import { useIsoColumns } from '../isos/isoColumns';

/** ISO partners of a company. */
export function RecordIsos({ of }: { of: { company_id: string } }) {
  const { t } = useTranslation(['employee', 'shell']);
  return (
    <RecordGrid<Iso>
      label={t('shell:nav.isos')}
      columns={useIsoColumns({ inRecord: true })}
      rows={(order) => lists.isos({ ...of, order })}
      rowKey={(iso) => iso.id}
      hrefOf={(iso) => paths.employeeIso(iso.id)}
      defaultSort={{ key: 'first_name', descending: false }}
      empty={<EmptyState icon={<IconBriefcase size={20} />} title={t('iso.empty')} />}
    />
  );
}
