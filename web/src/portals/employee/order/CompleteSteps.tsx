import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step } from '../../../api/types';
import { refetchAll } from '../../../shared/StaleProblem';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { toast } from '../../../ui/toasts';

interface Props {
  spv: SpvDetail;
  /** Selected steps. */
  steps: Step[];
  onAll: () => void;
  onDone: () => void;
}

/** Completes the selected steps after confirmation. */
export function CompleteSteps({ spv, steps, onAll, onDone }: Props) {
  const { t } = useTranslation(['employee', 'common']);
  const [asking, setAsking] = useState(false);
  const open = spv.steps.filter((step) => step.status !== 'completed').length;
  const save = useSave({
    save: () =>
      body(
        api.POST('/rest/v1/spvs/{id}/steps/complete', {
          params: versionedBody(spv),
          body: { ids: steps.map((step) => step.id) },
        }),
      ),
    explain: refetchAll(queries.spv(spv.id).queryKey),
    invalidates: 'step',
    onSaved: () => {
      toast({ title: t('bulk.done', { count: steps.length }) });
      onDone();
    },
  });
  return (
    <Group px="md" pt="sm" gap="xs" justify="flex-end">
      <Button size="xs" variant="subtle" onClick={onAll}>
        {t('bulk.all')}
      </Button>
      <Button size="xs" variant="default" onClick={onDone}>
        {t('common:cancel')}
      </Button>
      <Button size="xs" disabled={steps.length === 0} onClick={() => setAsking(true)}>
        {t('bulk.complete', { count: steps.length })}
      </Button>
      {asking && (
        <ConfirmDialog
          title={t('bulk.confirm', { count: steps.length })}
          confirmLabel={t('bulk.complete', { count: steps.length })}
          busyLabel={t('common:saving')}
          busy={save.isPending}
          onConfirm={() => save.mutate()}
          onClose={() => setAsking(false)}
        >
          {open === steps.length ? t('bulk.closes') : t('bulk.text')}
        </ConfirmDialog>
      )}
    </Group>
  );
}
