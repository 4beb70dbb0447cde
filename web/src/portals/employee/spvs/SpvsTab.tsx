import { Button } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import { listState } from '../../../shared/listState';
import { useParam } from '../../../shared/queryParams';
import { useMe } from '../../../shared/session/me';
import { EmptyState } from '../../../ui/states';
import { Toolbar } from '../Toolbar';
import { SpvForm } from './SpvForm';
import { SpvList } from './SpvList';
import { SpvSteps } from './SpvSteps';
import classes from './SpvsTab.module.css';

/** Orders on the left, the steps of the chosen one on the right. */
export function SpvsTab() {
  const { t } = useTranslation(['employee', 'common']);
  const me = useMe();
  const [q, setQ] = useParam('q');
  const [selected, select] = useParam('spv');
  const [creating, setCreating] = useState(false);
  const state = listState(useInfiniteQuery(queries.spvs({ q: q || undefined })));
  return (
    <>
      <Toolbar searchLabel={t('spvs.search')} q={q} onSearch={setQ}>
        {me.can.includes('create_spv') && (
          <Button onClick={() => setCreating(true)}>{t('spvs.create')}</Button>
        )}
      </Toolbar>
      <div className={classes.columns}>
        <SpvList
          state={state}
          selected={selected}
          onSelect={select}
          emptyText={q ? t('common:no_match', { q }) : t('spvs.empty')}
        />
        {selected ? (
          <SpvSteps key={selected} id={selected} />
        ) : (
          <EmptyState icon={<IconListDetails size={20} />} title={t('spvs.select')} />
        )}
      </div>
      {creating && (
        <SpvForm
          onClose={() => setCreating(false)}
          onCreated={(spv) => {
            setCreating(false);
            select(spv.id);
          }}
        />
      )}
    </>
  );
}
