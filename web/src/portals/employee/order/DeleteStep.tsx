import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { SpvDetail, Step } from '../../../api/types';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { toast } from '../../../ui/toasts';

/** Deletes a pending step after confirmation. */
export function DeleteStep({ spv, step, onClose }: { spv: SpvDetail; step: Step; onClose: () => void }) {
  const { t } = useTranslation('employee');
  const save = useSave({
    save: () => body(api.DELETE('/rest/v1/steps/{id}', { params: versionedBody(step) })),
    invalidates: ['step', 'document_request'],
    onSaved: () => {
      toast({ title: t('step.deleted'), description: step.step_name });
      onClose();
    },
  });
  const others = spv.steps.filter((other) => other.id !== step.id);
  const closes = others.length > 0 && others.every((other) => other.status === 'completed');
  return (
    <ConfirmDialog
      title={t('step.delete_title', { name: step.step_name })}
      confirmLabel={t('step.delete')}
      busyLabel={t('deleting')}
      busy={save.isPending}
      danger
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      {closes ? t('step.delete_closes') : t('step.delete_text')}
    </ConfirmDialog>
  );
}
