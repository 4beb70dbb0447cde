import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import classes from './ViewAll.module.css';

/** Link from the first rows of a list to the whole list, with its filters. */
export function ViewAll({ to, list }: { to: string; list: string }) {
  const { t } = useTranslation(['shell', 'common']);
  return (
    <div className={classes.foot}>
      <Anchor component={Link} to={to} size="sm" aria-label={t('view_all_of', { list })}>
        {t('common:activity.view_all')}
      </Anchor>
    </div>
  );
}
