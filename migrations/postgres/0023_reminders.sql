-- The days on which a client was told that something is nearly due, and that it is past, as of steps.
alter table document_requests add column warned_date date;
alter table document_requests add column reminded_date date;
alter table invoices add column warned_date date;
alter table invoices add column reminded_date date;
create index invoices_due on invoices (due_date, id) where status in ('due', 'part_paid');
-- Nobody hears all at once of what has been late for long.
update document_requests set reminded_date = due_date where due_date < current_date;
update invoices set reminded_date = due_date where due_date < current_date;
