import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchBox } from '../../ui/SearchBox';
import classes from './Toolbar.module.css';

interface Props {
  searchLabel: string;
  q: string;
  onSearch: (q: string) => void;
  archived?: { shown: boolean; onChange: (shown: boolean) => void };
  filters?: ReactNode;
  children?: ReactNode;
}

/** Toolbar of a list: search, filters, archive switch and actions. */
export function Toolbar({ searchLabel, q, onSearch, archived, filters, children }: Props) {
  const { t } = useTranslation('employee');
  return (
    <div className={classes.bar}>
      <SearchBox label={searchLabel} value={q} onChange={onSearch} />
      {archived && (
        <Switch
          size="xs"
          label={t('show_archived')}
          checked={archived.shown}
          onChange={(event) => archived.onChange(event.currentTarget.checked)}
        />
      )}
      {filters}
      <div className={classes.actions}>{children}</div>
    </div>
  );
}
