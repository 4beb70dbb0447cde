import type { ComboboxItem } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../messages/useLocale';
import { SearchSelect } from '../../ui/SearchSelect';
import { matchesSearch, canonicalZone, timeZonesIn } from './timeZones';

const namedZones = ['America/New_York', 'America/Chicago', 'America/Los_Angeles'];

interface Props {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  value?: string;
  onChange: (zone: string) => void;
}

/** Time zone select: common zones first; search by city, country, name or offset. */
export function TimeZoneSelect({ value = '', onChange, ...field }: Props) {
  const { t } = useTranslation(['profile', 'common']);
  const { language } = useLocale();
  // Hundreds of options, computed on open.
  const [opened, setOpened] = useState(false);
  const zones = useMemo(
    () => (opened ? timeZonesIn(language, value) : value ? [canonicalZone(value, language)] : []),
    [opened, language, value],
  );
  const byId = useMemo(() => new Map(zones.map((zone) => [zone.value, zone])), [zones]);
  const first = namedZones.flatMap((id) => zones.filter((zone) => zone.value === id));
  const rest = zones.filter((zone) => !namedZones.includes(zone.value));
  const found = (item: ComboboxItem, typed: string) => {
    const zone = byId.get(item.value);
    return zone !== undefined && matchesSearch(zone, typed);
  };
  return (
    <SearchSelect
      size="sm"
      allowDeselect={false}
      value={value}
      data={[
        { group: t('group.common'), items: first.map(({ value: id, label }) => ({ value: id, label })) },
        { group: t('group.all'), items: rest.map(({ value: id, label }) => ({ value: id, label })) },
      ].filter(({ items }) => items.length > 0)}
      // Without the groups: a search finds a few.
      filter={({ options, search }) =>
        search.trim()
          ? options
              .flatMap((option) => ('group' in option ? option.items : option))
              .filter((item) => found(item, search))
          : options
      }
      onChange={(zone) => zone && onChange(zone)}
      onDropdownOpen={() => setOpened(true)}
      nothingFoundMessage={t('common:no_options')}
      maxDropdownHeight={280}
      {...field}
    />
  );
}
