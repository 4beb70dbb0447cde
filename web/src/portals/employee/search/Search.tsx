import '@mantine/spotlight/styles.layer.css';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { IconBuilding, IconFileText, IconFolder, IconInbox, IconSearch, IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { SearchHit } from '../../../api/types';
import { paths } from '../../../paths';
import classes from './Search.module.css';

const kinds = ['spv', 'client', 'company', 'document', 'request'] as const;
const kindIcons = {
  spv: IconFolder,
  client: IconUser,
  company: IconBuilding,
  document: IconFileText,
  request: IconInbox,
};

/** Page of a search result. */
function resultPath(hit: SearchHit): string {
  switch (hit.kind) {
    case 'spv':
      return paths.employeeOrder(hit.id);
    case 'client':
      return paths.employeeTabFor('clients', hit.text);
    case 'company':
      return paths.employeeTabFor('companies', hit.title);
    case 'document':
      return paths.employeeDocument(hit.id);
    case 'request':
      return paths.request(hit.id);
  }
}

/** Search entry of the sidebar, rendered twice on a phone. */
export function SearchEntry() {
  const { t } = useTranslation('employee');
  return (
    <button type="button" className={classes.entry} onClick={spotlight.open}>
      <IconSearch size={16} aria-hidden="true" />
      {t('search.entry')}
      <kbd className={classes.keys}>Ctrl K</kbd>
    </button>
  );
}

/** Global search (Ctrl+K): orders, clients, companies, documents and requests. */
export function Search() {
  const { t } = useTranslation(['employee', 'common']);
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const { data, error } = useQuery({ ...queries.search(q), enabled: q !== '' });
  const hits = q && typed.trim() ? (data ?? []) : [];
  const settled = typed.trim() === q && (data !== undefined || error !== null);
  return (
    <Spotlight.Root
      query={typed}
      onQueryChange={setTyped}
      shortcut="mod + K"
      triggerOnContentEditable
      tagsToIgnore={[]}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        aria-label={t('search.label')}
        placeholder={t('search.label')}
        leftSection={<IconSearch size={18} aria-hidden="true" />}
      />
      <Spotlight.ActionsList aria-label={t('search.found')}>
        {kinds.map((kind) => {
          const found = hits.filter((hit) => hit.kind === kind);
          const Picture = kindIcons[kind];
          return (
            found.length > 0 && (
              <Spotlight.ActionsGroup key={kind} label={t(`search.${kind}`)}>
                {found.map((hit) => (
                  <Spotlight.Action
                    key={hit.id}
                    label={hit.title}
                    description={hit.text}
                    leftSection={<Picture size={18} aria-hidden="true" />}
                    onClick={() => void navigate(resultPath(hit))}
                  />
                ))}
              </Spotlight.ActionsGroup>
            )
          );
        })}
        {hits.length === 0 && (
          <Spotlight.Empty>
            {error && q
              ? errorText(error)
              : q && settled
                ? t('common:no_match', { q })
                : typed.trim()
                  ? t('common:loading')
                  : t('search.hint')}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
