import { lazy, Suspense, useSyncExternalStore } from 'react';
import { onQuestion, openQuestion } from './reauthentication';

const ProofDialog = lazy(() => import('./ReauthenticationDialog').then((part) => ({ default: part.ProofDialog })));

/** Over every page: what is asked for wherever the server wants a recent proof. */
export function ProofHost() {
  const question = useSyncExternalStore(onQuestion, openQuestion);
  if (!question) return null;
  return (
    <Suspense>
      <ProofDialog onAnswer={question.answer} />
    </Suspense>
  );
}
