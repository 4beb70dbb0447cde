import { queryClient } from '../../api/cache';

/** What was typed and not sent. Kept with what the server said, so that signing out takes it away as well. */
export interface Draft {
  body: string;
  internal: boolean;
}

const QUERY_NOUN = 'drafts';
queryClient.setQueryDefaults([QUERY_NOUN], { gcTime: Infinity });

export const readDraft = (conversation: string) => queryClient.getQueryData<Draft>([QUERY_NOUN, conversation]);

export const saveDraft = (conversation: string, draft: Draft) =>
  queryClient.setQueryData<Draft>([QUERY_NOUN, conversation], draft);
