import { queryClient } from '../../api/cache';

/** Message drafts, kept in the query cache, so that sign-out clears them. */
export interface Draft {
  body: string;
  internal: boolean;
}

const QUERY_NOUN = 'drafts';
queryClient.setQueryDefaults([QUERY_NOUN], { gcTime: Infinity });

export const readDraft = (conversation: string) =>
  queryClient.getQueryData<Draft>([QUERY_NOUN, conversation]);

export const saveDraft = (conversation: string, draft: Draft) =>
  queryClient.setQueryData<Draft>([QUERY_NOUN, conversation], draft);
