import { useEffect, useRef, useState } from 'react';

/**
 * Takes files that are dropped anywhere on the page and by no place of their own. Returns whether files are over the
 * page.
 */
export function usePageDrop(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    // Entering a child leaves its parent, so entries are counted.
    let depth = 0;
    const withFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    // A dialog covers the page, and has places of its own.
    const isCovered = () => document.querySelector('[role="dialog"]') !== null;
    const leave = () => {
      depth = 0;
      setOver(false);
    };
    const onEnter = (event: DragEvent) => {
      if (!withFiles(event) || isCovered()) return;
      depth += 1;
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (!withFiles(event)) return;
      depth -= 1;
      if (depth <= 0) leave();
    };
    const onOver = (event: DragEvent) => {
      if (withFiles(event) && !isCovered()) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      leave();
      if (!withFiles(event) || event.defaultPrevented || isCovered()) return;
      event.preventDefault();
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragenter', onEnter);
    addEventListener('dragleave', onLeave);
    addEventListener('dragover', onOver);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragenter', onEnter);
      removeEventListener('dragleave', onLeave);
      removeEventListener('dragover', onOver);
      removeEventListener('drop', onDrop);
    };
  }, []);
  return over;
}
