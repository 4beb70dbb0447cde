import { queryClient } from '../../api/cache';

/** What was typed and not sent. Kept with what the server said, so that signing out takes it away as well. */
export interface Draft {
  body: string;
  internal: boolean;
}

const noun = 'drafts';
queryClient.setQueryDefaults([noun], { gcTime: Infinity });

export const of = (conversation: string) => queryClient.getQueryData<Draft>([noun, conversation]);

export const keep = (conversation: string, draft: Draft) =>
  queryClient.setQueryData<Draft>([noun, conversation], draft);
