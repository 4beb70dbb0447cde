import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { SettingsSection } from '../../ui/Settings';
import { rowsState } from '../grid/listState';
import { accountQueries } from './accountQueries';
import { SignInTable } from './SignInTable';

/** Own sign-in history. */
export function HistorySection() {
  const { t } = useTranslation('security');
  const query = useInfiniteQuery(accountQueries.signIns());
  // After the sessions, whose number decides where it stands.
  const { isPending } = useQuery(accountQueries.sessions());
  if (isPending) return null;
  return (
    <SettingsSection title={t('history.title')} text={t('history.text')}>
      <SignInTable label={t('history.title')} state={rowsState(query)} />
    </SettingsSection>
  );
}
