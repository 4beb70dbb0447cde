import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { Go } from '../frame/AppLink';
import { Article } from './Article';
import { Points } from './ArticleSections';

const points = ['passwords', 'sessions', 'links', 'roles', 'browser', 'log', 'report'] as const;

export function Component() {
  const { t } = useTranslation('public');
  return (
    <Article title={t('security.title')} lead={t('security.lead')}>
      <Points page="security" points={points} links={{ contact: <Go to={paths.contact} /> }} />
    </Article>
  );
}
