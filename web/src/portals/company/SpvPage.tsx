import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { paths } from '../../paths';
import { Crumb } from '../../shared/shell/Crumb';
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
      trail={<Crumb to={to(paths.companySpvs)}>{t('nav.spvs')}</Crumb>}
      client={(_, name) => (
        <Anchor component={Link} to={to(paths.companyClientsFor(name))} fz="inherit">
          {name}
        </Anchor>
      )}
    />
  );
}
