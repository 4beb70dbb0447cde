-- Keys by which texts are compared, written by Rust (text::unique_key, email::key, text::search_fold). Rows that are
-- there begin with what SQL can do; of companies with one name, the later ones keep theirs apart by their id.
alter table companies add column name_key text;
update companies set name_key = lower(name) || case when exists (
    select 1 from companies o where lower(o.name) = lower(companies.name) and o.id < companies.id
) then ' ' || id::text else '' end;
create unique index companies_by_key on companies (name_key) where archived_at is null;
create index companies_by_any_key on companies (name_key);

alter table requests add column email_key text;
update requests set email_key = lower(email);
create index requests_open_by_email on requests (email_key, kind) where status in ('pending', 'in_review');

-- Numbered rows of the log never change: those without keys are compared by their texts.
alter table activity add column subject_key text;
alter table activity add column actor_key text;
create or replace trigger activity_is_append_only before update on activity
    for each row when (old.seq is not null or new.seq is null or new.hash is null
        or (old.id, old.nth, old.at, old.actor_kind, old.actor_id, old.actor_name, old.action, old.subject_kind,
            old.subject_id, old.subject_label, old.company_id, old.client_id, old.iso_id, old.spv_id, old.public,
            old.address, old.user_agent, old.data, old.quiet, old.subject_key, old.actor_key)
        is distinct from
            (new.id, new.nth, new.at, new.actor_kind, new.actor_id, new.actor_name, new.action, new.subject_kind,
            new.subject_id, new.subject_label, new.company_id, new.client_id, new.iso_id, new.spv_id, new.public,
            new.address, new.user_agent, new.data, new.quiet, new.subject_key, new.actor_key))
    execute function refuse_activity_change();

-- Clients by name: all, a company's, a partner's.
create index clients_by_name on users (first_name, last_name, id) where role = 'client';
create index clients_of_company_by_name on users (company_id, first_name, last_name, id) where role = 'client';
create index clients_of_iso_by_name on users (iso_id, first_name, last_name, id) where role = 'client';
