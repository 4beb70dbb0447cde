import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { Request, RequestPriority } from '../../../api/types';
import { useSave } from '../../../shared/useSave';
import { toast } from '../../../ui/toasts';

interface Change {
  priority?: RequestPriority;
  assignee_id?: string | null;
}

/** Review, priority and assignment of a request. */
export function useRequestActions(request: Request) {
  const { t } = useTranslation('requests');
  const showSaved = (title: string) => () => toast({ title, description: request.reference });
  const review = useSave<void, Request>({
    save: () => body(api.POST('/rest/v1/requests/{id}/review', { params: versionedBody(request), body: {} })),
    invalidates: 'request',
    onSaved: showSaved(t('review.done')),
  });
  const change = useSave<Change, Request>({
    save: (to) => body(api.PATCH('/rest/v1/requests/{id}', { params: versionedBody(request), body: to })),
    invalidates: 'request',
    onSaved: showSaved(t('change.done')),
  });
  return { review, change };
}
