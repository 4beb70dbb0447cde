import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { PageHeader } from '../../ui/PageHeader';
import { loadOwnUser } from './accountQueries';
import { SecurityPanel } from './SecurityPanel';

export const loader = loadOwnUser;

/** Security page of a portal. */
export function Component() {
  const { t } = useTranslation(['security', 'client']);
  return (
    <>
      <PageHeader
        title={t('page.title')}
        text={t('page.text')}
        back={
          <Anchor component={Link} to=".." relative="path" fz="inherit">
            ← {t('client:back')}
          </Anchor>
        }
      />
      <SecurityPanel />
    </>
  );
}
