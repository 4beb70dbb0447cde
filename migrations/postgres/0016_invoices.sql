-- Number of an imported invoice in the system that issued it, unique in its year.
alter table invoices add column former_number text;
-- In the form in which it is compared.
alter table invoices add column former_number_key text;
create unique index invoices_by_former_number on invoices (former_number_key, year) where former_number_key is not null;

-- Export of payments.
create index invoice_payments_by_date on invoice_payments (received_date, id);

-- The filing fee within the amount, which is not taxed.
alter table credit_notes add column filing_fee_minor bigint not null default 0;
