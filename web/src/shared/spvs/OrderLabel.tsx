import type { ReactNode } from 'react';
import type { Spv } from '../../api/types';
import classes from './OrderLabel.module.css';
import { identifierBesideName, orderName } from './orderName';

interface Props {
  spv: Pick<Spv, 'vehicle_name' | 'identifier'>;
  /** Draws the name as a link. */
  link?: (name: string, isIdentifier: boolean) => ReactNode;
}

/** Name of an order in a list, with its identifier below where it has a name. */
export function OrderLabel({ spv, link }: Props) {
  const name = orderName(spv);
  const identifier = identifierBesideName(spv);
  const isIdentifier = identifier === null;
  return (
    <span className={classes.order}>
      {link?.(name, isIdentifier) ?? <span className={isIdentifier ? 'mono' : undefined}>{name}</span>}
      {identifier && <span className={`${classes.identifier} mono`}>{identifier}</span>}
    </span>
  );
}
