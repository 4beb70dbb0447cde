import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/PageHeader';
import { loadOwnUser } from './accountQueries';
import { SecurityPanel } from './SecurityPanel';

export const loader = loadOwnUser;

/** Security page of a portal. */
export function Component() {
  const { t } = useTranslation('security');
  return (
    <>
      <PageHeader title={t('page.title')} text={t('page.text')} />
      <SecurityPanel />
    </>
  );
}
