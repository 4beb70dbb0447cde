import { Button } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Spv } from '../../../api/types';
import { rowsState } from '../../../shared/grid/listState';
import { useParam, useSetParams } from '../../../shared/queryParams';
import { useMe } from '../../../shared/session/me';
import { ChoiceFilter } from '../../../ui/ChoiceFilter';
import { EmptyState } from '../../../ui/EmptyState';
import { ExportButton } from '../../../shared/ExportButton';
import { PREVIEW_ROWS, previewState, useListPath } from '../preview';
import { Toolbar } from '../Toolbar';
import { ViewAll } from '../ViewAll';
import { SpvForm } from './SpvForm';
import { SpvList } from './SpvList';
import { SpvSteps } from './SpvSteps';
import classes from './SpvsTab.module.css';

const statuses: Spv['status'][] = ['pending', 'active', 'processing', 'on_hold', 'closed', 'cancelled'];

/** First rows of the order list with the steps of the selected order, on the dashboard. */
export function SpvsTab() {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const me = useMe();
  const [q, setQ] = useParam('q');
  const [status, setStatus] = useParam('status');
  const [selected, select] = useParam('spv');
  const query = { q: q || undefined, status: status || undefined };
  const state = previewState(rowsState(useInfiniteQuery(queries.spvs({ ...query, limit: PREVIEW_ROWS }))));
  const listPath = useListPath('spvs');
  const [asked, setAsked] = useParam('new');
  const setParams = useSetParams();
  return (
    <>
      <Toolbar
        searchLabel={t('spvs.search')}
        q={q}
        onSearch={setQ}
        filters={
          <ChoiceFilter
            label={t('spvs.by_status')}
            all={t('spvs.all_statuses')}
            value={status}
            choices={statuses.map((value) => ({ value, label: t(`names:spv_status.${value}`) }))}
            onChange={setStatus}
          />
        }
      >
        <ExportButton
          name="spvs"
          load={() => body(api.GET('/rest/v1/spvs.csv', { params: { query }, parseAs: 'blob' }))}
        />
        {me.can.includes('create_spv') && (
          <Button onClick={() => setAsked('order')}>{t('spvs.create')}</Button>
        )}
      </Toolbar>
      <div className={classes.columns}>
        <SpvList
          state={state}
          selected={selected}
          onSelect={select}
          emptyText={q ? t('common:no_match', { q }) : t(status ? 'spvs.none_of_status' : 'spvs.empty')}
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
