import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { Step } from '../../../api/types';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';

interface Props {
  /** Current assignee, who may no longer be staff. */
  current: Step['assignee'];
  value?: string;
  onChange: (value: string) => void;
}

/** Staff select for the assignee of a step. */
export function AssigneeSelect({ current, ...field }: Props) {
  const { t } = useTranslation('employee');
  const { data = [] } = useQuery(queries.staff());
  const formerStaff = current && !data.some((person) => person.id === current.id) ? [current] : [];
  return (
    <ChoiceSelect
      label={t('step.assignee')}
      choices={[
        { value: '', label: t('step.unassigned') },
        ...[...formerStaff, ...data].map((person) => ({ value: person.id, label: person.name })),
      ]}
      {...field}
    />
  );
}
