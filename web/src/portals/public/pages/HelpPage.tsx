import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { useSettings } from '../../../shared/settings/useSettings';
import { AppLink } from '../frame/AppLink';
import { Article } from './Article';
import { ArticleSections } from './ArticleSections';
import { SupportLines } from './SupportLines';

const points = ['portal', 'account', 'password', 'link', 'denied', 'statuses', 'blocked'] as const;

const links = {
  selector: <AppLink to={paths.portalSelector} />,
  signup: <AppLink to={paths.signup} />,
  forgot: <AppLink to={paths.forgotPassword} />,
  contact: <AppLink to={paths.contact} />,
};

export function Component() {
  const { t } = useTranslation('public');
  const settings = useSettings();
  return (
    <Article title={t('help.title')} lead={t('help.lead')}>
      <ArticleSections page="help" points={points} links={links} />
      <SupportLines settings={settings} />
    </Article>
  );
}
