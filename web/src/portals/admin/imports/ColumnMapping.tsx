import { Alert, Select, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ImportReport } from '../../../api/types';

interface Props {
  report: ImportReport;
  map: Record<string, string>;
  /** Unknown columns are not read. */
  ignoreUnknown: boolean;
  disabled: boolean;
  onChange: (map: Record<string, string>) => void;
}

const SKIP = '-';

/** How the file was read: its format, what must be decided, and the column that each header is read as. */
export function ColumnMapping({ report, map, ignoreUnknown, disabled, onChange }: Props) {
  const { t } = useTranslation('admin');
  const { format, columns, available_columns: available, problems } = report;
  const facts = [
    t(`imports.containers.${format.container}`),
    format.separator && t(`imports.separators.${format.separator}`),
    format.encoding,
    format.sheet && t('imports.sheet', { name: format.sheet }),
    format.dates && t('imports.dates_as', { format: format.dates }),
    format.decimal_comma && t('imports.decimal_comma'),
  ];
  const placeholder = (nearest: string | null) => {
    if (ignoreUnknown) return t('imports.skip');
    return nearest ? t('imports.nearest', { column: nearest }) : t('imports.unknown');
  };
  return (
    <>
      <Text size="sm">{t('imports.read_as', { facts: facts.filter(Boolean).join(', ') })}</Text>
      {problems.length > 0 && (
        <Alert color="red" title={t('imports.decide')}>
          {problems.map(({ field, message }) => (
            <div key={`${field} ${message}`}>{message}</div>
          ))}
        </Alert>
      )}
      <Table.ScrollContainer minWidth={520}>
        <Table aria-label={t('imports.columns')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('imports.header')}</Table.Th>
              <Table.Th>{t('imports.samples')}</Table.Th>
              <Table.Th>{t('imports.column')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columns.map(({ header, samples, column, use_as: use, nearest }, index) => (
              // Headers may repeat; their order is the file's.
              <Table.Tr key={index}>
                <Table.Td>{header}</Table.Td>
                <Table.Td>{samples.join(' · ')}</Table.Td>
                <Table.Td>
                  <Select
                    size="sm"
                    searchable
                    allowDeselect={false}
                    disabled={disabled}
                    aria-label={t('imports.column_of', { header })}
                    value={column ?? (use === 'skipped' ? SKIP : null)}
                    placeholder={placeholder(nearest)}
                    error={use === 'unknown' && !ignoreUnknown}
                    data={[
                      { value: SKIP, label: t('imports.skip') },
                      ...available.map(({ name, required }) => ({
                        value: name,
                        label: required ? `${name} *` : name,
                      })),
                    ]}
                    onChange={(value) => onChange({ ...map, [header]: value === SKIP ? '' : (value ?? '') })}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}
