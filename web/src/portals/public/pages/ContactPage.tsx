import { useTranslation } from 'react-i18next';
import { useSettings } from '../../../shared/settings/useSettings';
import { RequestForm } from '../requests/RequestForm';
import { Article } from './Article';
import { SupportLines } from './SupportLines';

export function Component() {
  const { t } = useTranslation('public');
  const settings = useSettings();
  return (
    <Article title={t('contact.title')} lead={t('contact.lead')}>
      <RequestForm messageLabel={t('request.message')} />
      <SupportLines settings={settings} />
    </Article>
  );
}
