import type { Invoice } from '../../api/types';

/** The next payment: amount and due date. */
export interface Payment {
  amount: string;
  currency: string;
  due_date: string;
}

/** The next payment of an invoice; undefined where nothing is due. */
export function nextPayment({ next_payment, currency }: Invoice): Payment | undefined {
  return next_payment ? { ...next_payment, currency } : undefined;
}
