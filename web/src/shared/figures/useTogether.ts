import { useState } from 'react';

/** Figures that first appear with those they are compared with, so that nothing moves; later comparisons join them. */
export function useTogether<Figures>(
  figures: Figures | undefined,
  comparison: { isPending: boolean } | undefined,
): Figures | undefined {
  const [wasShown, setWasShown] = useState(false);
  const complete = figures !== undefined && !comparison?.isPending;
  if (complete && !wasShown) setWasShown(true);
  return complete || wasShown ? figures : undefined;
}
