-- Credit notes: each lowers one invoice. Their numbers are as those of invoices: one row a year, locked until the commit.
create table credit_note_numbers (
    year integer primary key,
    last integer not null
) strict;

create table credit_notes (
    id blob primary key,
    year integer not null,
    number integer not null,
    invoice_id blob not null references invoices (id),
    spv_id blob not null references spvs (id),
    client_id blob not null references users (id),
    -- Name and address as printed on the invoice.
    billed_to text not null,
    billed_address text,
    currency text not null,
    amount_minor integer not null check (amount_minor > 0),
    description text not null,
    issued_date text not null,
    created_at text not null,
    created_by text not null,
    unique (year, number)
) strict;
create index credit_notes_by_invoice on credit_notes (invoice_id, year, number);
create index credit_notes_by_spv on credit_notes (spv_id, year, number);
create index credit_notes_by_client on credit_notes (client_id, year, number);

-- The sum of an invoice's credit notes.
alter table invoices add column credited_minor integer not null default 0 check (credited_minor >= 0 and credited_minor <= total_minor);
-- Of a void invoice: the one that was raised anew in its place.
alter table invoices add column replaced_by_id blob;
-- Covering index for amounts owed, with what was credited.
drop index invoices_owed;
create index invoices_owed on invoices (status, client_id, currency, due_date, total_minor, credited_minor, paid_minor);
-- Overpaid invoices.
create index invoices_overpaid on invoices (currency, client_id, total_minor, credited_minor, paid_minor) where paid_minor > total_minor - credited_minor;

-- Of a difference to a commission that was approved or paid: that commission.
alter table commissions add column adjusts_id blob;
