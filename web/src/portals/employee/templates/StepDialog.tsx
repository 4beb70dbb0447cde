import { Button, Group, NumberInput, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { orNull, required } from '../../../shared/validators';
import { useRequiredFieldsMessage } from '../../../shared/useSave';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { NeedsSelect, owners } from '../spvs/PlanFields';
import type { TemplateStep } from './TemplateEditor';
import classes from './Templates.module.css';

interface Props {
  /** The step to edit; undefined to add one. */
  step?: TemplateStep;
  /** Other steps of the template, for dependencies. */
  others: { value: string; label: string }[];
  onKeep: (step: TemplateStep) => void;
  onDelete?: () => void;
  onClose: () => void;
}

const MAX_OFFSET_DAYS = 1000;

/** Template step with its document requests. Kept in the editor until saved. */
export function StepDialog({ step, others, onKeep, onDelete, onClose }: Props) {
  const { t } = useTranslation(['employee', 'documents', 'names']);
  const missing = useRequiredFieldsMessage();
  const form = useForm({
    initialValues: {
      step_name: step?.step_name ?? '',
      owner: step?.owner ?? ('staff' as TemplateStep['owner']),
      business_days: (step?.business_days ?? 5) as number | string,
      depends_on: step?.depends_on ?? [],
      completes_with_documents: step?.completes_with_documents ?? false,
      documents: (step?.documents ?? []).map((document) => ({
        ...document,
        instructions: document.instructions ?? '',
      })),
    },
    validate: { step_name: required, documents: { name: required } },
  });
  const submit = form.onSubmit((values) => {
    onKeep({
      ...values,
      business_days: Number(values.business_days) || 0,
      documents: values.documents.map((document) => ({
        ...document,
        instructions: orNull(document.instructions),
      })),
    });
  }, missing);
  return (
    <FormModal
      title={step ? t('templates.edit_step') : t('step.add')}
      submitLabel={t('templates.keep')}
      busyLabel={t('templates.keep')}
      busy={false}
      dirty={form.isDirty()}
      aside={
        onDelete && (
          <Button variant="subtle" color="red" onClick={onDelete}>
            {t('step.delete')}
          </Button>
        )
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        size="sm"
        label={t('step.name')}
        required
        data-autofocus
        {...form.getInputProps('step_name')}
      />
      <FieldPair>
        <ChoiceSelect
          label={t('step.owner')}
          choices={owners.map((value) => ({ value, label: t(`names:owner.${value}`) }))}
          {...form.getInputProps('owner')}
        />
        <NumberInput
          size="sm"
          label={t('templates.days')}
          description={t('templates.days_text')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          min={0}
          max={MAX_OFFSET_DAYS}
          clampBehavior="strict"
          allowDecimal={false}
          {...form.getInputProps('business_days')}
        />
      </FieldPair>
      <NeedsSelect data={others} {...form.getInputProps('depends_on')} />
      <Switch
        label={t('step.completes')}
        description={t('step.completes_text')}
        {...form.getInputProps('completes_with_documents', { type: 'checkbox' })}
      />
      <div>
        <Text size="sm" fw={500}>
          {t('templates.documents')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('templates.documents_text')}
        </Text>
      </div>
      {form.values.documents.map((_, n) => (
        // oxlint-disable-next-line react/no-array-index-key -- a line has nothing else
        <div key={n} className={classes.document}>
          <TextInput
            size="sm"
            label={t('documents:request.name')}
            required
            {...form.getInputProps(`documents.${n}.name`)}
          />
          <TextInput
            size="sm"
            label={t('names:field.instructions')}
            {...form.getInputProps(`documents.${n}.instructions`)}
          />
          <Group justify="space-between">
            <Switch
              label={t('documents:request.required')}
              {...form.getInputProps(`documents.${n}.required`, { type: 'checkbox' })}
            />
            <Button
              size="xs"
              variant="subtle"
              color="red"
              aria-label={t('templates.remove_document', { number: n + 1 })}
              onClick={() => form.removeListItem('documents', n)}
            >
              {t('templates.remove')}
            </Button>
          </Group>
        </div>
      ))}
      <Button
        size="xs"
        variant="default"
        onClick={() => form.insertListItem('documents', { name: '', instructions: '', required: true })}
      >
        {t('templates.add_document')}
      </Button>
    </FormModal>
  );
}
