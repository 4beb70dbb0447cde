import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { paths } from '../../paths';
import { RecordLink } from '../../shared/records/links';
import { PartnerOrder } from '../../shared/spvs/PartnerOrder';
import { useCompanyPath } from './companyContext';

/** Order of the company, read-only. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('company');
  const to = useCompanyPath();
  return (
    <PartnerOrder
      id={id}
      reader="company"
      list={{ to: to(paths.companySpvs), name: t('nav.spvs') }}
      client={(_, name) => <RecordLink to={to(paths.companyClientsFor(name))} name={name} />}
    />
  );
}
