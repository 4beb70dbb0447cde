import { MultiSelect, NumberInput, Switch, type MultiSelectProps } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { Step, StepChange } from '../../../api/types';
import { todayInOfficeZone } from '../../../messages/format';
import type { Country } from '../../../shared/countries';
import { orNull } from '../../../shared/validators';
import { businessDaysAfter } from '../../../shared/spvs/dueDates';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { DateField } from '../../../ui/DateField';
import { FieldPair } from '../../../ui/FormModal';

export const owners: Exclude<Step['owner'], 'other'>[] = ['staff', 'client', 'iso', 'authority'];

/** Plan of a step: owner, due date, dependencies. */
export const planFromStep = (step?: Step) => ({
  step_name: step?.step_name ?? '',
  owner: step?.owner ?? 'staff',
  due_date: step?.due_date ?? '',
  depends_on: step?.depends_on ?? [],
  completes_with_documents: step?.completes_with_documents ?? false,
});
export type Plan = ReturnType<typeof planFromStep>;

/** Changed fields only. */
export function planChanges(step: Step, plan: Plan): StepChange {
  const change: StepChange = {};
  if (plan.step_name !== step.step_name) change.step_name = plan.step_name;
  if (plan.owner !== step.owner) change.owner = plan.owner;
  if (orNull(plan.due_date) !== step.due_date) change.due_date = orNull(plan.due_date);
  if (plan.depends_on.join() !== step.depends_on.join()) change.depends_on = plan.depends_on;
  if (plan.completes_with_documents !== step.completes_with_documents) {
    change.completes_with_documents = plan.completes_with_documents;
  }
  return change;
}

interface Props<Values extends Plan> {
  form: UseFormReturnType<Values>;
  /** Country of the order, by whose holidays business days are counted. */
  country: Country;
  /** Other steps of the order. */
  others: Step[];
}

const MAX_OFFSET_DAYS = 1000;
const noHolidays: ReadonlySet<string> = new Set();

export function PlanFields<Values extends Plan>({ form, country, others }: Props<Values>) {
  const { t } = useTranslation(['employee', 'names']);
  const [days, setDays] = useState<string | number>('');
  const { data: holidays = noHolidays } = useQuery(queries.holidayDays(country));
  const due = form.getInputProps('due_date');
  const count = (value: string | number) => {
    setDays(value);
    if (typeof value === 'number') due.onChange(businessDaysAfter(todayInOfficeZone(), value, holidays));
  };
  return (
    <>
      <ChoiceSelect
        label={t('step.owner')}
        choices={owners.map((value) => ({ value, label: t(`names:owner.${value}`) }))}
        {...form.getInputProps('owner')}
      />
      <FieldPair>
        <DateField
          presets="due"
          label={t('names:field.due_date')}
          {...due}
          onChange={(day) => {
            setDays('');
            due.onChange(day);
          }}
        />
        <NumberInput
          size="sm"
          label={t('step.in_days')}
          description={t('step.in_days_text')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={days}
          onChange={count}
          min={0}
          max={MAX_OFFSET_DAYS}
          clampBehavior="strict"
          allowDecimal={false}
        />
      </FieldPair>
      <NeedsSelect
        data={others.map((step) => ({ value: step.id, label: `${step.step_order}. ${step.step_name}` }))}
        {...form.getInputProps('depends_on')}
      />
      <Switch
        label={t('step.completes')}
        description={t('step.completes_text')}
        {...form.getInputProps('completes_with_documents', { type: 'checkbox' })}
      />
    </>
  );
}

/** Dependencies of a step. */
export function NeedsSelect(props: MultiSelectProps) {
  const { t } = useTranslation('employee');
  return (
    <MultiSelect
      size="sm"
      label={t('step.comes_after')}
      description={t('step.comes_after_text')}
      placeholder={props.value?.length === 0 ? t('step.no_needs') : undefined}
      hidePickedOptions
      {...props}
    />
  );
}
