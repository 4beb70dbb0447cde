import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import { Article } from './Article';
import { ArticleSections } from './ArticleSections';

const points = ['passwords', 'sessions', 'links', 'roles', 'browser', 'log', 'report'] as const;

export function Component() {
  const { t } = useTranslation('public');
  return (
    <Article title={t('security.title')} lead={t('security.lead')}>
      <ArticleSections page="security" points={points} links={{ contact: <AppLink to={paths.contact} /> }} />
    </Article>
  );
}
