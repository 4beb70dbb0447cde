import type { Spv } from '../../api/types';

/** Name of an order: that of the vehicle, else its identifier. */
export function orderName(spv: Pick<Spv, 'vehicle_name' | 'identifier'>): string {
  return spv.vehicle_name ?? spv.identifier;
}
