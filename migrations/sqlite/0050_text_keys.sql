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
drop trigger activity_is_append_only;
create trigger activity_is_append_only before update on activity
when old.seq is not null or new.seq is null or new.hash is null or new.rowid is not old.rowid
    or new.id is not old.id or new.nth is not old.nth or new.at is not old.at or new.actor_kind is not
    old.actor_kind or new.actor_id is not old.actor_id or new.actor_name is not old.actor_name or new.action
    is not old.action or new.subject_kind is not old.subject_kind or new.subject_id is not old.subject_id or
    new.subject_label is not old.subject_label or new.company_id is not old.company_id or new.client_id is not
    old.client_id or new.iso_id is not old.iso_id or new.spv_id is not old.spv_id or new.public is not
    old.public or new.address is not old.address or new.user_agent is not old.user_agent or new.data is not
    old.data or new.quiet is not old.quiet or new.subject_key is not old.subject_key or new.actor_key is not
    old.actor_key
begin
    select raise(abort, 'a numbered activity row never changes');
end;

-- Clients by name: all, a company's, a partner's.
create index clients_by_name on users (first_name, last_name, id) where role = 'client';
create index clients_of_company_by_name on users (company_id, first_name, last_name, id) where role = 'client';
create index clients_of_iso_by_name on users (iso_id, first_name, last_name, id) where role = 'client';
