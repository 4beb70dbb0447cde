-- Reminders are looked for every hour: only what has had no reminder is read.
create index spv_steps_to_remind on spv_steps (reminded_date, due_date, id) where completed_at is null and reminded_date is null;
create index document_requests_to_remind on document_requests (reminded_date, due_date, id) where status in ('requested', 'needs_revision') and reminded_date is null;
create index invoices_to_remind on invoices (reminded_date, due_date, id) where status in ('due', 'part_paid') and reminded_date is null;
