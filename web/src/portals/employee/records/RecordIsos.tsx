import { IconBriefcase } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../../api/lists';
import type { Iso } from '../../../api/types';
import { localDay } from '../../../messages/format';
import { paths } from '../../../paths';
import { RecordGrid } from '../../../shared/records/RecordGrid';
import { DateText } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';

const nameOf = (iso: Iso) => `${iso.first_name} ${iso.last_name}`;

/** ISO partners of a company. */
export function RecordIsos({ of }: { of: { company_id: string } }) {
  const { t } = useTranslation(['employee', 'shell']);
  const columns: GridColumn<Iso>[] = [
    {
      key: 'name',
      header: t('column.name'),
      sort: 'first_name',
      phone: 'title',
      link: nameOf,
      cell: () => null,
    },
    { key: 'email', whole: true, header: t('column.email'), phone: 'text', cell: (iso) => iso.email },
    { key: 'phone', whole: true, header: t('column.phone'), cell: (iso) => iso.phone ?? '—' },
    {
      key: 'added',
      header: t('clients.added'),
      sort: 'created_at',
      descendingFirst: true,
      phone: 'end',
      cell: (iso) => <DateText day={localDay(iso.created_at)} />,
    },
  ];
  return (
    <RecordGrid<Iso>
      label={t('shell:nav.isos')}
      columns={columns}
      rows={(order) => lists.isos({ ...of, order })}
      rowKey={(iso) => iso.id}
      hrefOf={(iso) => paths.employeeIso(iso.id)}
      defaultSort={{ key: 'first_name', descending: false }}
      empty={<EmptyState icon={<IconBriefcase size={20} />} title={t('iso.empty')} />}
    />
  );
}
