import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

const namedZones = {
  eastern: 'America/New_York',
  central: 'America/Chicago',
  pacific: 'America/Los_Angeles',
};

interface Props {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  value?: string;
  onChange: (zone: string) => void;
}

/** Every time zone, the named ones first. */
export function ZoneSelect({ value = '', onChange, ...field }: Props) {
  const { t } = useTranslation(['profile', 'common']);
  const named = Object.entries(namedZones).map(([name, zone]) => ({ value: zone, label: t(`zone.${name}`) }));
  const known = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', value]);
  for (const zone of Object.values(namedZones)) known.delete(zone);
  const rest = [...known].toSorted().map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }));
  return (
    <Select
      size="sm"
      searchable
      allowDeselect={false}
      value={value}
      data={[
        { group: t('group.common'), items: named },
        { group: t('group.all'), items: rest },
      ]}
      onChange={(zone) => zone && onChange(zone)}
      nothingFoundMessage={t('common:no_options')}
      maxDropdownHeight={280}
      {...field}
    />
  );
}
