import type { Invoice } from '../../api/types';

/** What is to be paid next, and by when. */
export interface Payment {
  amount: string;
  currency: string;
  due_date: string;
}

/** The next payment of an invoice; undefined where nothing is due. */
export function nextPayment({ next_payment, currency }: Invoice): Payment | undefined {
  return next_payment ? { ...next_payment, currency } : undefined;
}
