import { useTranslation } from 'react-i18next';
import type { Iso } from '../../../api/types';
import { localDay } from '../../../messages/format';
import { CompanyLink } from '../../../shared/records/links';
import { DateText } from '../../../ui/DateText';
import type { GridColumn } from '../../../ui/grid/columns';

export const isoName = (iso: Iso) => `${iso.first_name} ${iso.last_name}`;

/** Columns of ISO partners. In the record of a company, it is left out and the day added is shown. */
export function useIsoColumns({ inRecord = false } = {}): GridColumn<Iso>[] {
  const { t } = useTranslation('employee');
  const company: GridColumn<Iso> = {
    key: 'company',
    header: t('column.company'),
    phone: 'end',
    cell: (iso) => <CompanyLink id={iso.company_id} name={iso.company_name} />,
  };
  return [
    {
      key: 'name',
      header: t('column.name'),
      sort: 'first_name',
      phone: 'title',
      link: isoName,
      cell: () => null,
    },
    { key: 'email', whole: true, header: t('column.email'), phone: 'text', cell: (iso) => iso.email },
    { key: 'phone', whole: true, header: t('column.phone'), cell: (iso) => iso.phone ?? '—' },
    ...(inRecord ? [] : [company]),
    {
      key: 'added',
      header: t('clients.added'),
      sort: 'created_at',
      descendingFirst: true,
      hidden: !inRecord,
      phone: inRecord ? 'end' : undefined,
      cell: (iso) => <DateText day={localDay(iso.created_at)} />,
    },
  ];
}
