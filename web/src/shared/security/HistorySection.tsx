import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { SettingsSection } from '../../ui/Settings';
import { tableState } from '../tableState';
import { accountQueries } from './accountQueries';
import { SignInTable } from './SignInTable';

/** Own sign-in history. */
export function HistorySection() {
  const { t } = useTranslation('security');
  const query = useInfiniteQuery(accountQueries.signIns());
  return (
    <SettingsSection title={t('history.title')} text={t('history.text')}>
      <SignInTable label={t('history.title')} state={tableState(query)} />
    </SettingsSection>
  );
}
