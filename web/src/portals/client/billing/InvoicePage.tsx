import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { paths } from '../../../paths';
import { InvoiceView } from '../../../shared/invoices/InvoiceView';

export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('billing');
  const back = (
    <Anchor component={Link} to={paths.clientBilling} fz="inherit">
      ← {t('title')}
    </Anchor>
  );
  return <InvoiceView id={id} back={back} />;
}
