import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { useSettings } from '../../../shared/settings/useSettings';
import { Go } from '../frame/AppLink';
import { Article } from './Article';
import { Points } from './ArticleSections';
import { SupportLines } from './SupportLines';

const points = ['portal', 'account', 'password', 'link', 'denied', 'statuses', 'blocked'] as const;

const links = {
  selector: <Go to={paths.portalSelector} />,
  signup: <Go to={paths.signup} />,
  forgot: <Go to={paths.forgotPassword} />,
  contact: <Go to={paths.contact} />,
};

export function Component() {
  const { t } = useTranslation('public');
  const settings = useSettings();
  return (
    <Article title={t('help.title')} lead={t('help.lead')}>
      <Points page="help" points={points} links={links} />
      <SupportLines settings={settings} />
    </Article>
  );
}
