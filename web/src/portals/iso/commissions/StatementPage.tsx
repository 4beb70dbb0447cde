import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../../../paths';
import { Statement } from '../../../shared/commissions/Statement';

export function Component() {
  const { t } = useTranslation('commissions');
  return (
    <Statement
      back={
        <Anchor component={Link} to={paths.isoCommissions} fz="inherit">
          ← {t('title')}
        </Anchor>
      }
    />
  );
}
