import { useTranslation } from 'react-i18next';
import { Article } from './Article';
import { ArticleSections } from './ArticleSections';

const points = ['order', 'steps', 'people', 'places', 'record'] as const;

export function Component() {
  const { t } = useTranslation('public');
  return (
    <Article title={t('about.title')} lead={t('about.lead')}>
      <ArticleSections page="about" points={points} />
    </Article>
  );
}
