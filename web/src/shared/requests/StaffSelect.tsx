import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { Request } from '../../api/types';
import { ChoiceSelect } from '../../ui/ChoiceSelect';

interface Props {
  /** Current assignee, who may no longer be staff. */
  current?: Request['assignee'];
  value?: string;
  onChange: (value: string) => void;
}

/** Staff select for the assignee; empty means unassigned. */
export function StaffSelect({ current, ...field }: Props) {
  const { t } = useTranslation('requests');
  const { data = [] } = useQuery(queries.staff());
  const formerStaff = current && !data.some((person) => person.id === current.id) ? [current] : [];
  return (
    <ChoiceSelect
      label={t('assignee')}
      choices={[
        { value: '', label: t('unassigned') },
        ...[...formerStaff, ...data].map((person) => ({ value: person.id, label: person.name })),
      ]}
      {...field}
    />
  );
}
