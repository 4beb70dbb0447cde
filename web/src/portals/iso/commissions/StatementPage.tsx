import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { Crumb } from '../../../shared/shell/Crumb';
import { Statement } from '../../../shared/commissions/Statement';

export function Component() {
  const { t } = useTranslation('commissions');
  return <Statement trail={<Crumb to={paths.isoCommissions}>{t('title')}</Crumb>} />;
}
