-- Sort orders of lists of many rows: one index each, read where too many rows match to sort them.
create index invoices_by_due_date on invoices (due_date, id);
create index invoices_by_billed_to on invoices (billed_to, id);
create index invoices_by_total on invoices (currency, total_minor, id);
create index spvs_by_amount on spvs (currency, coalesce(purchase_amount_minor, price_minor, 0), id);
create index spvs_by_name on spvs (vehicle_name, id);
create index commissions_by_amount on commissions (currency, amount_minor, id);
create index documents_by_name on documents (name, id);
drop index users_by_activity;
create index users_by_last_active on users (last_active_at, id);
create index leads_by_name on leads (first_name, last_name, id);
create index leads_by_next_step on leads (next_step_date, id);
create index calls_by_begin on calls (begins_at, id);
create index companies_newest on companies (created_at, id);
create index isos_newest on isos (created_at, id);
