-- Keys by which texts are compared, written by Rust (text::unique_key, email::key, text::search_fold). Rows that are
-- there begin with what SQL can do; of companies with one name, the later ones keep theirs apart by their id.
alter table companies add column name_key text;
update companies set name_key = lower(name) || case when exists (
    select 1 from companies o where lower(o.name) = lower(companies.name) and o.id < companies.id
) then ' ' || lower(hex(id)) else '' end;
create unique index companies_by_key on companies (name_key) where archived_at is null;
create index companies_by_any_key on companies (name_key);

alter table requests add column email_key text;
update requests set email_key = lower(email);
create index requests_open_by_email on requests (email_key, kind) where status in ('pending', 'in_review');

-- Numbered rows of the log never change: those without keys are compared by their texts.
alter table activity add column subject_key text;
alter table activity add column actor_key text;

-- Clients by name: all, a company's, a partner's.
create index clients_by_name on users (first_name, last_name, id) where role = 'client';
create index clients_of_company_by_name on users (company_id, first_name, last_name, id) where role = 'client';
create index clients_of_iso_by_name on users (iso_id, first_name, last_name, id) where role = 'client';
