import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';

/** For counters and charts: the label as a link to the rows it counts. */
export function linkTo(path: string): (label: ReactNode) => ReactNode {
  return (label) => <Link to={path}>{label}</Link>;
}
