import { Button, Group, Stack } from '@mantine/core';
import { IconBriefcase, IconCoin, IconFolders, IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { money, number } from '../../messages/format';
import { useParam } from '../../shared/queryParams';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { ShortMoney } from '../../ui/Money';
import { PageHeader } from '../../ui/PageHeader';
import { StatCard, StatRow } from '../../ui/StatCard';
import { EmptyState, ErrorState } from '../../ui/states';
import { PartnerTables } from './PartnerTables';

export function Component() {
  const { t } = useTranslation(['dashboards', 'common']);
  const [chosen, choose] = useParam('company');
  const query = useInfiniteQuery(queries.companyDashboard(chosen || undefined));
  const { data: pages, error, refetch } = query;
  const data = pages?.pages[0];
  const choices = data?.companies.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const others = data?.revenue_by_currency.filter((sum) => sum.currency !== data.currency) ?? [];
  if (error && !data) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        title={data?.company?.name ?? t('company.title')}
        text={t('company.text')}
        actions={
          choices.length > 0 && (
            <ChoiceSelect
              label={t('company.choose')}
              choices={choices}
              value={data?.company?.id ?? null}
              placeholder={t('company.choose')}
              onChange={choose}
            />
          )
        }
      />
      {data && !data.company ? (
        <EmptyState icon={<IconBriefcase size={20} />} title={t('company.choose_first')} />
      ) : (
        <Stack gap="md">
          <StatRow>
            <StatCard
              label={t('company.total_spvs')}
              icon={<IconFolders size={18} />}
              value={data && number(data.total_spvs)}
            />
            <StatCard
              label={t('company.active_clients')}
              icon={<IconUsers size={18} />}
              value={data && number(data.active_clients)}
            />
            <StatCard
              label={t('company.total_revenue')}
              icon={<IconCoin size={18} />}
              value={
                data && <ShortMoney amount={data.total_revenue} currency={data.currency} scale="millions" />
              }
              hint={others.map((sum) => money(sum.amount, sum.currency)).join(' · ')}
            />
            <StatCard
              label={t('company.iso_partners')}
              icon={<IconBriefcase size={18} />}
              value={data && number(data.iso_partners)}
            />
          </StatRow>
          <PartnerTables
            partners={data?.partners}
            spvs={pages?.pages.flatMap((page) => page.items)}
            retry={() => void refetch()}
          />
          {query.hasNextPage && (
            <Group justify="center">
              <Button
                variant="default"
                disabled={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {query.isFetchingNextPage ? t('common:loading') : t('common:load_more')}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </>
  );
}
