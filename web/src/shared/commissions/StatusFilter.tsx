import { useTranslation } from 'react-i18next';
import type { CommissionStatus } from '../../api/types';
import { ChoiceFilter } from '../../ui/ChoiceFilter';
import { useParam } from '../queryParams';

const states: CommissionStatus[] = ['pending', 'approved', 'paid', 'void'];

/** Status filter of the ledger. */
export function useStatusFilter() {
  const { t } = useTranslation(['commissions', 'names', 'common']);
  const [statusParam, setStatusParam] = useParam('status');
  const status = states.find((known) => known === statusParam);
  const filter = (
    <ChoiceFilter
      label={t('common:status')}
      all={t('all_states')}
      value={status ?? ''}
      choices={states.map((value) => ({ value, label: t(`names:commission_status.${value}`) }))}
      onChange={setStatusParam}
    />
  );
  return { status, filter };
}
