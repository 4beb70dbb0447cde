import { IconMail } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import type { Mail, MailStatus } from '../../api/types';
import { rowsState } from '../../shared/grid/listState';
import { RowGrid } from '../../shared/grid/RowGrid';
import { useParam } from '../../shared/queryParams';
import { useSave } from '../../shared/useSave';
import { BusyButton } from '../../ui/BusyButton';
import { ChoiceFilter } from '../../ui/ChoiceFilter';
import { RelativeTime } from '../../ui/DateText';
import { EmptyState } from '../../ui/EmptyState';
import type { GridColumn } from '../../ui/grid/columns';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { Settled, Tag } from '../../ui/Tag';
import { toast } from '../../ui/toasts';
import classes from './logs/logs.module.css';

const statuses: readonly MailStatus[] = ['queued', 'sent', 'failed'];

/** The outbox: emails by status, with the mail server's answer, and sending again. */
export function Component() {
  const { t } = useTranslation('admin');
  const [param, setStatus] = useParam('status');
  const status = statuses.find((known) => known === param);
  const state = rowsState(useInfiniteQuery(queries.mails({ status, limit: 100 })));
  const columns: GridColumn<Mail>[] = [
    { key: 'to', phone: 'title', header: t('outbox.to'), cell: (mail) => mail.to_email },
    {
      key: 'status',
      phone: 'side',
      header: t('outbox.status'),
      cell: (mail) => <MailState status={mail.status} />,
    },
    { key: 'kind', phone: 'text', header: t('outbox.kind'), cell: (mail) => t(`outbox.kind.${mail.kind}`) },
    {
      key: 'created',
      phone: 'end',
      header: t('outbox.created'),
      cell: (mail) => <RelativeTime at={mail.created_at} />,
    },
    {
      key: 'error',
      phone: 'below',
      header: t('outbox.error'),
      cell: (mail) =>
        mail.status !== 'sent' && mail.last_error ? (
          <span className={classes.value}>{mail.last_error}</span>
        ) : null,
    },
    {
      key: 'again',
      header: t('outbox.again'),
      actions: true,
      cell: (mail) => (mail.status === 'failed' ? <SendAgainButton mail={mail} /> : null),
    },
  ];
  return (
    <>
      <PageHeader
        title={t('outbox.title')}
        text={t('outbox.text')}
        actions={
          <ChoiceFilter
            label={t('outbox.status')}
            all={t('outbox.all')}
            value={status ?? ''}
            choices={statuses.map((value) => ({ value, label: t(`outbox.is.${value}`) }))}
            onChange={setStatus}
          />
        }
      />
      <Section title={t('outbox.newest')} flush>
        <RowGrid
          main
          label={t('outbox.newest')}
          columns={columns}
          state={state}
          rowKey={(mail) => mail.id}
          empty={<EmptyState icon={<IconMail size={20} />} title={t('outbox.empty')} />}
        />
      </Section>
    </>
  );
}

/** Only what waits or failed has a color. */
function MailState({ status }: { status: MailStatus }) {
  const { t } = useTranslation('admin');
  const label = t(`outbox.is.${status}`);
  if (status === 'sent') return <Settled tone="done">{label}</Settled>;
  return <Tag tone={status === 'failed' ? 'stop' : 'wait'}>{label}</Tag>;
}

function SendAgainButton({ mail }: { mail: Mail }) {
  const { t } = useTranslation('admin');
  const resend = useSave({
    save: () => body(api.POST('/rest/v1/mails/{id}/resend', { params: { path: { id: mail.id } } })),
    onSaved: () => {
      toast({ title: t('outbox.queued'), description: mail.to_email });
      void queryClient.invalidateQueries({ queryKey: ['mails'] });
    },
  });
  return (
    <BusyButton
      variant="default"
      size="compact-sm"
      busy={resend.isPending}
      aria-label={t('outbox.again_to', { kind: t(`outbox.kind.${mail.kind}`), to: mail.to_email })}
      label={t('outbox.again')}
      busyLabel={t('outbox.queueing')}
      onClick={() => resend.mutate(undefined)}
    />
  );
}
