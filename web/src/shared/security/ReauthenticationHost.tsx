import { lazy, Suspense, useSyncExternalStore } from 'react';
import { onPromptChange, currentPrompt } from './reauthentication';

const ReauthenticationDialog = lazy(() =>
  import('./ReauthenticationDialog').then((part) => ({ default: part.ReauthenticationDialog })),
);

/** Renders the reauthentication dialog over any page. */
export function ReauthenticationHost() {
  const question = useSyncExternalStore(onPromptChange, currentPrompt);
  if (!question) return null;
  return (
    <Suspense>
      <ReauthenticationDialog onAnswer={question.answer} />
    </Suspense>
  );
}
