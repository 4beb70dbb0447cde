import { lazy, Suspense, useSyncExternalStore } from 'react';
import { onPromptChange, currentPrompt } from './reauthentication';

const ReauthenticationDialog = lazy(() => import('./ReauthenticationDialog').then((part) => ({ default: part.ReauthenticationDialog })));

/** Over every page: what is asked for wherever the server wants a recent proof. */
export function ReauthenticationHost() {
  const question = useSyncExternalStore(onPromptChange, currentPrompt);
  if (!question) return null;
  return (
    <Suspense>
      <ReauthenticationDialog onAnswer={question.answer} />
    </Suspense>
  );
}
