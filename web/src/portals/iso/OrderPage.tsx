import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { paths } from '../../paths';
import { RecordLink } from '../../shared/records/links';
import { PartnerOrder } from '../../shared/spvs/PartnerOrder';

/** Order of a client of the partner, read-only. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('partners');
  return (
    <PartnerOrder
      id={id}
      reader="iso"
      list={{ to: paths.isoClients, name: t('clients.title') }}
      client={(client, name) => <RecordLink to={paths.isoClient(client)} name={name} />}
    />
  );
}
