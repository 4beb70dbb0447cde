import { IconFileText } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DocumentRequest, SpvDetail } from '../../api/types';
import { date } from '../../messages/format';
import { isActive } from '../spvs/dueDates';
import { DueTag } from '../spvs/DueTag';
import { Prose } from '../../ui/Prose';
import { StatusBadge } from '../../ui/StatusBadge';
import classes from './documents.module.css';
import { ReviewButtons } from './ReviewButtons';
import { SubmittedFile } from './SubmittedFile';
import { FileDrop } from './FileDrop';
import { usePortalLinks } from './links';
import { UploadButton } from './UploadButton';
import { UploadLimits } from './UploadLimits';
import { UploadList } from './UploadList';
import { useSendFiles } from './useSendFiles';

interface Props {
  requests: DocumentRequest[];
  spv: SpvDetail;
  label: string;
}

/** Document requests with the actions of the user. */
export function RequestList({ requests, spv, label }: Props) {
  return (
    <ul className={classes.requests} aria-label={label}>
      {requests.map((request) => (
        <Row key={request.id} request={request} spv={spv} />
      ))}
    </ul>
  );
}

function Row({ request, spv }: { request: DocumentRequest; spv: SpvDetail }) {
  const { t } = useTranslation(['documents', 'common']);
  const { isClient } = usePortalLinks();
  const target = { request_id: request.id };
  const upload = useSendFiles(target);
  const { name } = request;
  const mayUpload = request.can.includes('upload');
  // The decision comes before what else can be done.
  const reviews = request.can.includes('approve');
  const resubmission = Boolean(request.document_id);
  const waits = request.status === 'requested' || request.status === 'needs_revision';
  const step = spv.steps.find((step) => step.id === request.step_id);
  const facts = [
    !request.required && t('request.optional'),
    step && t('request.for_step', { step: step.step_name }),
    waits && request.due_date && t('common:step.due', { date: date(request.due_date) }),
  ];
  return (
    <li>
      <FileDrop
        label={t('request.upload_of', { name })}
        className={classes.request}
        onFiles={mayUpload ? (files) => upload(files.slice(0, 1)) : undefined}
      >
        <span className="disc" aria-hidden="true">
          <IconFileText size={14} />
        </span>
        <div className={classes.requestBody}>
          <div className={classes.requestHead}>
            <span className={classes.requestName}>{name}</span>
            <StatusBadge kind="document_request" status={request.status} />
            {waits && isActive(spv) && <DueTag day={request.due_date} />}
          </div>
          {facts.some(Boolean) && <div className={classes.aside}>{facts.filter(Boolean).join(' · ')}</div>}
          {request.instructions && (
            <div>
              <Prose>{request.instructions}</Prose>
            </div>
          )}
          {request.reason && (
            <div className={request.status === 'waived' ? classes.aside : classes.reason}>
              <Prose>{t('request.reason', { reason: request.reason })}</Prose>
            </div>
          )}
          {request.document_id && <SubmittedFile id={request.document_id} />}
          <div className={classes.requestActions}>
            {reviews && <ReviewButtons request={request} spv={spv} />}
            {mayUpload && (
              <UploadButton
                variant={waits && !request.can.includes('update') ? 'filled' : 'default'}
                size="compact-sm"
                label={t(resubmission ? 'request.upload_again_of' : 'request.upload_of', { name })}
                onFiles={upload}
              >
                {resubmission ? t('request.upload_again') : t('request.upload')}
              </UploadButton>
            )}
            {!reviews && <ReviewButtons request={request} spv={spv} />}
            {mayUpload && waits && <UploadLimits />}
          </div>
          <UploadList target={target} hideDone />
          <div role="status">
            {isClient && request.status === 'submitted' && (
              <span className={classes.aside}>{t('request.sent')}</span>
            )}
          </div>
        </div>
      </FileDrop>
    </li>
  );
}
