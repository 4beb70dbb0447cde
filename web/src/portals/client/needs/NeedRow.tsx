import { Button } from '@mantine/core';
import {
  IconCircleCheck,
  IconFileUpload,
  IconListCheck,
  IconMessageCircle,
  IconReceipt2,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { date, money } from '../../../messages/format';
import { paths } from '../../../paths';
import { FileDrop } from '../../../shared/documents/FileDrop';
import { UploadButton } from '../../../shared/documents/UploadButton';
import { UploadLimits } from '../../../shared/documents/UploadLimits';
import { UploadList } from '../../../shared/documents/UploadList';
import { useSendFiles } from '../../../shared/documents/useSendFiles';
import type { PrefillState } from '../../../shared/messages/usePrefilledMessage';
import { DueTag } from '../../../shared/spvs/DueTag';
import { Prose } from '../../../ui/Prose';
import type { Need } from './clientNeeds';
import classes from './Needs.module.css';

interface Props {
  need: Need;
  /** The document of this need has arrived. */
  sent: boolean;
  onSent?: () => void;
  /** On the page of its order, which is not named again. */
  onOrder?: boolean;
}

/** What is needed, for what, until when, and the button that does it. */
export function NeedRow({ need, sent, onSent, onOrder }: Props) {
  const { t } = useTranslation(['client', 'documents']);
  switch (need.kind) {
    case 'document':
      return <DocumentRow need={need} sent={sent} onSent={onSent} />;
    case 'invoice': {
      const { invoice } = need;
      return (
        <Row
          icon={<IconReceipt2 size={16} />}
          title={t('needs.pay', { number: invoice.number, amount: money(invoice.due, invoice.currency) })}
          facts={need.order}
          due={need.due}
          overdue={invoice.overdue}
          action={
            <Button
              component={Link}
              to={paths.clientInvoice(invoice.id)}
              aria-label={t('needs.pay_of', { number: invoice.number })}
            >
              {t('needs.pay_button')}
            </Button>
          }
        />
      );
    }
    case 'step':
      return <StepRow need={need} onOrder={onOrder} />;
    case 'message': {
      const { last_message: last, client } = need.thread;
      return (
        <Row
          icon={<IconMessageCircle size={16} />}
          title={t('needs.reply', { name: last.author.name ?? client.name })}
          facts={need.order}
          text={last.excerpt}
          due={null}
          action={
            <Button
              component={Link}
              variant="default"
              to={paths.clientThread(need.thread.id)}
              aria-label={t('needs.reply_of', { name: last.author.name ?? client.name })}
            >
              {t('needs.reply_button')}
            </Button>
          }
        />
      );
    }
  }
}

/** A step is confirmed, or a question about it answered, by a message of the order, which is prefilled. */
function StepRow({ need, onOrder }: Pick<Props, 'onOrder'> & { need: Need & { kind: 'step' } }) {
  const { t } = useTranslation('client');
  const { step_name: name, blocked_reason: reason, spv_id } = need.step;
  const verb = reason ? 'answer' : 'confirm';
  const state: PrefillState = { prefill: t(reason ? 'needs.about' : 'needs.confirmed', { name }) };
  return (
    <Row
      icon={<IconListCheck size={16} />}
      title={t(`needs.${verb}`, { name })}
      facts={onOrder ? null : need.order}
      text={reason ?? t('needs.step_text')}
      due={need.due}
      action={
        <Button
          component={Link}
          variant="default"
          to={paths.clientOrderMessages(spv_id)}
          state={state}
          aria-label={t(`needs.${verb}_of`, { name })}
        >
          {t(`needs.${verb}_button`)}
        </Button>
      }
    />
  );
}

function DocumentRow({ need, sent, onSent }: Props & { need: Need & { kind: 'document' } }) {
  const { t } = useTranslation(['client', 'documents']);
  const { request, order } = need;
  const target = { request_id: request.id };
  const upload = useSendFiles(target, { onUploaded: () => onSent?.() });
  const label = t('documents:request.upload_of', { name: request.name });
  if (sent) {
    return (
      <Row
        icon={<IconCircleCheck size={16} />}
        title={request.name}
        facts={order}
        text={t('documents:request.sent')}
        due={null}
        done
      />
    );
  }
  return (
    <FileDrop label={label} onFiles={(files) => upload(files.slice(0, 1))}>
      <Row
        icon={<IconFileUpload size={16} />}
        title={t('needs.upload', { name: request.name })}
        facts={order}
        text={request.status === 'needs_revision' ? request.reason : request.instructions}
        due={need.due}
        action={
          <UploadButton label={label} onFiles={upload}>
            {t('documents:request.upload')}
          </UploadButton>
        }
      >
        <UploadLimits />
        <UploadList target={target} hideDone />
      </Row>
    </FileDrop>
  );
}

interface RowProps {
  icon: ReactNode;
  title: string;
  /** The order. */
  facts: string | null;
  text?: string | null;
  due: string | null;
  overdue?: boolean;
  done?: boolean;
  action?: ReactNode;
  children?: ReactNode;
}

function Row({ icon, title, facts, text, due, overdue, done, action, children }: RowProps) {
  const { t } = useTranslation('common');
  return (
    <div className={classes.row} data-done={done || undefined}>
      <span className={classes.icon} aria-hidden="true">
        {icon}
      </span>
      <div className={classes.words}>
        <div className={classes.head}>
          <span className={classes.title}>{title}</span>
          {facts && <span className={classes.facts}>{facts}</span>}
        </div>
        {text && (
          <div className={classes.text}>
            <Prose>{text}</Prose>
          </div>
        )}
        {children}
      </div>
      {(due || action) && (
        <div className={classes.end}>
          {due && (
            <span className={classes.due}>
              <DueTag day={due} overdue={overdue} />
              <span>{t('step.due', { date: date(due) })}</span>
            </span>
          )}
          {action}
        </div>
      )}
    </div>
  );
}
