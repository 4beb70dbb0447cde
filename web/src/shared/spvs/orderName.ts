import type { Spv } from '../../api/types';

/** Name of an order: that of the vehicle, else its identifier. */
export function orderName(spv: Pick<Spv, 'vehicle_name' | 'identifier'>): string {
  return spv.vehicle_name ?? spv.identifier;
}

/** Name of the order of a document, an invoice or another row. */
export function orderNameOf<Identifier extends string | null | undefined>(row: {
  vehicle_name?: string | null;
  spv_identifier: Identifier;
}): string | Identifier {
  return row.vehicle_name ?? row.spv_identifier;
}

/** Identifier beside the name of an order; null where it is the name. */
export function identifierBesideName(spv: Pick<Spv, 'vehicle_name' | 'identifier'>): string | null {
  return orderName(spv) === spv.identifier ? null : spv.identifier;
}

/** Order number; null where the identifier, which is shown, contains it. */
export function orderNumber(spv: Pick<Spv, 'identifier' | 'order_number'>): string | null {
  return spv.identifier.endsWith(spv.order_number) ? null : spv.order_number;
}
