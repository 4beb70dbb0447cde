import { Button } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { lists } from '../../../api/lists';
import { useListQuery } from '../../../shared/grid/listQuery';
import { listState } from '../../../shared/grid/listState';
import { ListTools } from '../../../shared/grid/ListTools';
import { useParam, useSetParams } from '../../../shared/queryParams';
import { useMe } from '../../../shared/session/me';
import { EmptyState } from '../../../ui/EmptyState';
import { ExportButton } from '../../../shared/ExportButton';
import { PREVIEW_ROWS, previewState, useListPath } from '../preview';
import { ViewAll } from '../ViewAll';
import { SpvForm } from './SpvForm';
import { exportSpvs, spvQuery, useSpvFilters } from './SpvGrid';
import { SpvList } from './SpvList';
import { SpvSteps } from './SpvSteps';
import classes from './SpvsTab.module.css';

/** First rows of the order list with the steps of the selected order, on the dashboard. */
export function SpvsTab() {
  const { t } = useTranslation(['employee', 'common', 'grid']);
  const me = useMe();
  const filters = useSpvFilters();
  const url = useListQuery(filters.map(({ key }) => key));
  const [selected, select] = useParam('spv');
  const query = spvQuery({ q: url.q || undefined, filters: url.filters });
  const found = useInfiniteQuery(lists.spvs({ ...query, limit: PREVIEW_ROWS }));
  const state = previewState(listState(found));
  const narrowed = filters.some(({ key }) => url.filters[key]);
  const listPath = useListPath('spvs');
  const [asked, setAsked] = useParam('new');
  const setParams = useSetParams();
  return (
    <>
      <ListTools label={t('tab.spvs')} query={url} search={t('spvs.search')} filters={filters}>
        <ExportButton name="spvs" load={() => exportSpvs(query)} />
        {me.can.includes('create_spv') && (
          <Button onClick={() => setAsked('order')}>{t('spvs.create')}</Button>
        )}
      </ListTools>
      <div className={classes.columns}>
        <SpvList
          state={state}
          selected={selected}
          onSelect={select}
          emptyText={
            url.q ? t('common:no_match', { q: url.q }) : t(narrowed ? 'grid:no_match' : 'spvs.empty')
          }
        />
        {selected ? (
          <SpvSteps key={selected} id={selected} />
        ) : (
          <EmptyState icon={<IconListDetails size={20} />} title={t('spvs.select')} />
        )}
      </div>
      <ViewAll to={listPath} list={t('tab.spvs')} />
      {asked === 'order' && (
        <SpvForm
          onClose={() => setAsked('')}
          // In one change of the URL: a second one would start from the parameters before the first.
          onCreated={(spv) => setParams({ new: '', spv: spv.id })}
        />
      )}
    </>
  );
}
