import { Button } from '@mantine/core';
import { IconCalendarPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { Call } from '../../../api/types';
import { CallTable, saveCalendar } from '../../../shared/calls/CallTable';
import { useFlag } from '../../../shared/queryParams';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { toast } from '../../../ui/toasts';
import { CallForm } from './CallForm';

/** Own calls and their status. */
export function Component() {
  const { t } = useTranslation(['partners', 'common']);
  const [asking, setAsking] = useFlag('new');
  const [doomed, setDoomed] = useState<Call | null>(null);
  const calendar = useSave({ save: saveCalendar, onSaved: () => undefined });
  const cancel = useSave({
    save: (call: Call) =>
      body(api.POST('/rest/v1/calls/{id}/cancel', { params: versionedBody(call), body: {} })),
    invalidates: 'call',
    onSaved: (call) => {
      setDoomed(null);
      toast({ title: t('calls.cancel.done'), description: call.topic });
    },
  });
  const requestButton = <Button onClick={() => setAsking(true)}>{t('call')}</Button>;
  return (
    <>
      <PageHeader title={t('calls.title')} text={t('calls.text')} actions={requestButton} />
      <CallTable
        empty={{ title: t('calls.empty'), text: t('calls.empty_text'), action: requestButton }}
        actions={(call) => (
          <RowMenu
            name={call.topic}
            actions={[
              {
                needs: 'calendar',
                label: t('calls.ics'),
                icon: <IconCalendarPlus size={15} />,
                onClick: () => calendar.mutate(call),
              },
              {
                needs: 'cancel',
                label: t('calls.cancel'),
                icon: <IconX size={15} />,
                danger: true,
                onClick: () => setDoomed(call),
              },
            ].filter(({ needs }) => call.can.includes(needs))}
          />
        )}
      />
      {asking && <CallForm onClose={() => setAsking(false)} />}
      {doomed && (
        <ConfirmDialog
          title={t('calls.cancel.title', { topic: doomed.topic })}
          confirmLabel={t('calls.cancel')}
          busyLabel={t('common:saving')}
          busy={cancel.isPending}
          danger
          onConfirm={() => cancel.mutate(doomed)}
          onClose={() => setDoomed(null)}
        >
          {t('calls.cancel.text')}
        </ConfirmDialog>
      )}
    </>
  );
}
