import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import classes from './FileDrop.module.css';

interface Props {
  /** Accessible name of the group. */
  label: string;
  /** Without it the place takes no files. */
  onFiles?: (files: File[]) => void;
  className?: string;
  children: ReactNode;
}

/** Group that takes dropped files anywhere on it. */
export function FileDrop({ label, onFiles, className = '', children }: Props) {
  const [over, setOver] = useState(false);
  // Entering a child leaves its parent, so entries are counted.
  const depth = useRef(0);
  const leave = () => {
    depth.current = 0;
    setOver(false);
  };
  const withFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  if (!onFiles) {
    return (
      <div role="group" aria-label={label} className={className}>
        {children}
      </div>
    );
  }
  return (
    <div
      role="group"
      aria-label={label}
      className={`${classes.place} ${className}`}
      data-over={over || undefined}
      onDragEnter={(event) => {
        if (!withFiles(event)) return;
        depth.current += 1;
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!withFiles(event)) return;
        depth.current -= 1;
        if (depth.current <= 0) leave();
      }}
      onDragOver={(event) => {
        if (withFiles(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        if (!withFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        leave();
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
    </div>
  );
}
