/** Ages of open invoices by days past the due date, as in the filter of their list. */
export const ages = ['not_due', 'overdue_30', 'overdue_60', 'overdue_90', 'overdue_older'] as const;
