import { IconUserPlus } from '@tabler/icons-react';
import classes from './InitialsAvatar.module.css';

/** Initials of a person, or an empty place. */
export function InitialsAvatar({ name }: { name: string | null | undefined }) {
  return (
    <span className={classes.avatar} data-empty={!name || undefined} aria-hidden="true">
      {name ? initials(name) : <IconUserPlus size={12} />}
    </span>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const first = words[0] ?? '';
  const last = words.length > 1 ? (words.at(-1) ?? '') : '';
  return [first, last]
    .map((word) => [...word][0] ?? '')
    .join('')
    .toLocaleUpperCase();
}
