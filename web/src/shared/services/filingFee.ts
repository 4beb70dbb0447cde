import type { Service } from '../../api/types';

/** Filing fee of a service as a form shows it: blank for none. */
export const filingFee = (service: Service): string =>
  Number(service.filing_fee) > 0 ? service.filing_fee : '';
