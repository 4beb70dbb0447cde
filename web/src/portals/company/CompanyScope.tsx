import { IconBuilding } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router-dom';
import { errorText, isStatus } from '../../api/errors';
import { CompanySelect } from '../../shared/selects';
import { useMe } from '../../shared/session/me';
import { ActivitySkeleton } from '../../ui/ActivityList';
import { PageHeader } from '../../ui/PageHeader';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { CompanyContext, useCompanyId, useCompanyQuery, useSelectCompany } from './companyContext';
import classes from './CompanyScope.module.css';

/** Company scope: a super admin selects the company, which every page shows (decision 25). */
export function Component() {
  const { t } = useTranslation('company');
  const me = useMe();
  const picks = me.role === 'super_admin';
  const pick = useSelectCompany();
  const id = useCompanyId(me);
  const { data: company, error, refetch } = useCompanyQuery(id);
  const notFound = error && !company && isStatus(error, 404);
  if (picks && (!id || notFound)) {
    return (
      <>
        <PageHeader title={t('viewing.choose_title')} text={t('viewing.choose_text')} />
        <EmptyState
          icon={<IconBuilding size={20} />}
          title={notFound ? t('viewing.none') : t('viewing.choose_title')}
          action={
            <CompanySelect label={t('viewing.choose')} value={null} onChange={(next) => next && pick(next)} />
          }
        />
      </>
    );
  }
  if (error && !company) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (!company) return <ActivitySkeleton />;
  return (
    <CompanyContext value={company}>
      {picks && (
        <aside className={classes.banner} aria-label={t('viewing.label')}>
          <span>
            <strong>{t('viewing.label')}</strong> {t('viewing.banner', { name: company.name })}{' '}
            {company.archived_at && t('viewing.archived')}
          </span>
          <div className={classes.pick}>
            <CompanySelect
              key={company.id}
              label={t('viewing.choose')}
              value={company.id}
              initialLabel={company.name}
              onChange={(next) => next && pick(next)}
            />
          </div>
        </aside>
      )}
      <Outlet />
    </CompanyContext>
  );
}
