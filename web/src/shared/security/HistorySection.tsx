import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { SettingsSection } from '../../ui/Settings';
import { rowsState } from '../grid/listState';
import { accountQueries } from './accountQueries';
import { SignInTable } from './SignInTable';

/** Own sign-in history. */
export function HistorySection() {
  const { t } = useTranslation('security');
  const query = useInfiniteQuery(accountQueries.signIns());
  return (
    <SettingsSection title={t('history.title')} text={t('history.text')}>
      <SignInTable label={t('history.title')} state={rowsState(query)} />
    </SettingsSection>
  );
}
