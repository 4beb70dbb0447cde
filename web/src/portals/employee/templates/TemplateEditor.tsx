import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core';
import { IconPencil, IconPlus } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../../api/cache';
import { api, body, ifVersion } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Template } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { actorName } from '../../../messages/actorName';
import { useVersionConflict } from '../../../shared/StaleProblem';
import { newIdempotencyKey } from '../../../shared/idempotencyKey';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { Section } from '../../../ui/Section';
import { SortableList } from '../../../ui/SortableList';
import { EmptyState } from '../../../ui/EmptyState';
import { toast } from '../../../ui/toasts';
import { StepDialog } from './StepDialog';
import { TemplateRow } from './TemplateRow';
import classes from './Templates.module.css';

export interface TemplateStep extends Omit<Template['steps'][number], 'step_order' | 'depends_on'> {
  /** By draft key. */
  depends_on: string[];
}
interface Draft extends TemplateStep {
  /** Client-side key of a step while editing. */
  id: string;
}

/** The server refers to dependencies by step number, which changes on reorder. */
const toDrafts = (steps: Template['steps']): Draft[] => {
  const named = steps.map((step) => ({ step, id: newIdempotencyKey() }));
  return named.map(({ step, id }) => ({
    step_name: step.step_name,
    owner: step.owner,
    business_days: step.business_days,
    completes_with_documents: step.completes_with_documents,
    depends_on: named
      .filter((other) => step.depends_on.includes(other.step.step_order))
      .map((other) => other.id),
    documents: step.documents,
    id,
  }));
};
const toBody = (steps: Draft[]) =>
  steps.map(({ step_name, owner, business_days, completes_with_documents, depends_on, documents }) => ({
    step_name,
    owner,
    business_days,
    completes_with_documents,
    depends_on: steps.flatMap((other, n) => (depends_on.includes(other.id) ? [n + 1] : [])),
    documents,
  }));

interface Props {
  template: Template;
  /** Called when unsaved changes appear or disappear. */
  onDirty: (dirty: boolean) => void;
}

/** Template editor of one country: all changes are saved together. */
export function TemplateEditor({ template: given, onDirty }: Props) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const [base, setBase] = useState(given);
  const [name, setName] = useState(given.name);
  const [steps, setSteps] = useState(() => toDrafts(given.steps));
  const [dirty, setDirty] = useState(false);
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  const [editing, setEditing] = useState<Draft | 'new' | null>(null);
  const stale = useVersionConflict();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const mayEdit = base.can.includes('update');

  const reset = (template: Template) => {
    setBase(template);
    setName(template.name);
    setSteps(toDrafts(template.steps));
    setDirty(false);
    stale.forget();
    setErrors({});
  };
  // Saved by another user while nothing was edited here: shows the newer version.
  if (given.version > base.version && !dirty && !editing) reset(given);

  /** Server errors contain the step number; users see its name. */
  const named = (refused: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(refused).map(([field, words]) => {
        const step = steps[Number(field.split('.')[1])];
        return [field, step ? `${step.step_name}: ${words}` : words];
      }),
    );
  const save = useSave({
    form: { setErrors: (refused) => setErrors(named(refused)) },
    save: () =>
      body(
        api.PUT('/rest/v1/templates/{id}', {
          params: { path: { id: base.country }, ...ifVersion(base.version) },
          body: { name, steps: toBody(steps) },
        }),
      ),
    invalidates: 'template',
    onSaved: (saved) => {
      reset(saved);
      toast({ title: t('templates.saved'), description: saved.name });
    },
    explain: stale.explain,
  });
  const change = (changed: Draft[]) => {
    setSteps(changed);
    setDirty(true);
    // An edit may fix the error, so it is cleared.
    setErrors((refused) =>
      Object.fromEntries(Object.entries(refused).filter(([field]) => !field.startsWith('steps'))),
    );
  };
  const reload = async () => {
    const newest = await queryClient.fetchQuery({ ...queries.templates(), staleTime: 0 });
    const found = newest.items.find((one) => one.country === base.country);
    if (found) reset(found);
  };
  const keep = (step: TemplateStep) => {
    const replaceEdited = (one: Draft) =>
      editing !== 'new' && one.id === editing?.id ? { ...step, id: one.id } : one;
    change(editing === 'new' ? [...steps, { ...step, id: newIdempotencyKey() }] : steps.map(replaceEdited));
    setEditing(null);
  };
  const remove = (id: string) => {
    const left = steps.filter((step) => step.id !== id);
    change(left.map((step) => ({ ...step, depends_on: step.depends_on.filter((need) => need !== id) })));
    setEditing(null);
  };
  const problem = stale.problem(reload);
  const stepErrors = Object.entries(errors).filter(([field]) => field.startsWith('steps'));
  return (
    <Section
      title={t('templates.of', { country: t(`names:country.${base.country}`) })}
      flush
      actions={
        mayEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            disabled={save.isPending}
            onClick={() => setEditing('new')}
          >
            {t('step.add')}
          </Button>
        )
      }
    >
      <div className={classes.head}>
        {mayEdit ? (
          <TextInput
            size="sm"
            label={t('templates.name')}
            required
            value={name}
            error={errors.name}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setDirty(true);
            }}
          />
        ) : (
          <Text fw={500}>{base.name}</Text>
        )}
        <Text size="xs" c="dimmed" mt={4}>
          {base.updated_by
            ? t('templates.changed', { name: actorName(t, base.updated_by), date: dateTime(base.updated_at) })
            : t('templates.original')}
        </Text>
      </div>
      {steps.length === 0 ? (
        <EmptyState icon={<IconPlus size={20} />} title={t('templates.none')} />
      ) : (
        <SortableList
          items={steps.map((step) => ({ id: step.id, name: step.step_name, step }))}
          label={t('spvs.steps')}
          onSort={mayEdit ? (items) => change(items.map((item) => item.step)) : undefined}
        >
          {({ step }, handle) => (
            <TemplateRow
              step={step}
              number={steps.indexOf(step) + 1}
              needs={steps
                .filter((other) => step.depends_on.includes(other.id))
                .map((other) => other.step_name)}
              handle={handle}
              action={
                mayEdit && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={32}
                    aria-label={t('step.edit_of', { name: step.step_name })}
                    disabled={save.isPending}
                    onClick={() => setEditing(step)}
                  >
                    <IconPencil size={16} />
                  </ActionIcon>
                )
              }
            />
          )}
        </SortableList>
      )}
      {mayEdit && (
        <div className={classes.foot}>
          {(problem || stepErrors.length > 0) && (
            <div className={classes.problem} role="alert">
              {problem ?? stepErrors.map(([field, words]) => <div key={field}>{words}</div>)}
            </div>
          )}
          <Group justify="flex-end" gap="xs">
            <Text size="xs" c="dimmed" mr="auto">
              {t('templates.later')}
            </Text>
            <Button variant="default" disabled={!dirty || save.isPending} onClick={() => reset(given)}>
              {t('templates.undo')}
            </Button>
            <BusyButton
              disabled={!dirty}
              busy={save.isPending}
              label={t('templates.save')}
              busyLabel={t('common:saving')}
              onClick={() => save.mutate(undefined)}
            />
          </Group>
        </div>
      )}
      {editing && (
        <StepDialog
          step={editing === 'new' ? undefined : editing}
          others={steps
            .map((step, n) => ({ value: step.id, label: `${n + 1}. ${step.step_name}` }))
            .filter(({ value }) => editing === 'new' || value !== editing.id)}
          onKeep={keep}
          onDelete={editing === 'new' ? undefined : () => remove(editing.id)}
          onClose={() => setEditing(null)}
        />
      )}
    </Section>
  );
}
