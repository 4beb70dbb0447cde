-- Refused sign-ins by the place they came from, counted by the second: however many there are of a storm, it is made
-- out by their true number, of which the log tells a few only.
create table sign_in_failures (
    at text not null,
    place text not null,
    failures integer not null,
    primary key (at, place)
) strict, without rowid;

-- The log as super admins look through it: by when things happened, whenever they were numbered.
drop index activity_by_action;
drop index activity_by_address;
create index activity_by_action on activity (action, at, seq) where seq is not null;
create index activity_by_address on activity (address, at, seq) where seq is not null and address is not null;
create index activity_by_actor_and_time on activity (actor_id, at, seq) where seq is not null and actor_id is not null;

-- Where a backup lies, since it was begun: one that is not there now is not mounted.
alter table backups add column folder text;

-- Leads and calls of partners are on the desk: the request follows its lead or call.
alter table requests add column lead_id blob references leads (id);
alter table requests add column call_id blob references calls (id);
create unique index requests_by_lead on requests (lead_id) where lead_id is not null;
create unique index requests_by_call on requests (call_id) where call_id is not null;
-- Those that were open already. Their ids are random, as all are.
insert into requests (id, kind, status, priority, user_id, name, email, message, data, created_at, due_at, updated_at,
    updated_by, lead_id)
select unhex(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) || substr('89AB', 1 + abs(random() % 4), 1)
        || substr(hex(randomblob(2)), 2) || hex(randomblob(6))),
    'lead', 'pending', 'low', i.user_id, l.first_name || ' ' || l.last_name, l.email, coalesce(l.note, ''), '{}',
    l.created_at, date(l.protected_until, '+1 day') || 'T00:00:00+00:00', l.updated_at, l.updated_by, l.id
from leads l join isos i on i.id = l.iso_id where l.stage in ('new', 'contacted', 'qualified');
insert into requests (id, kind, status, priority, user_id, name, email, message, data, created_at, due_at, updated_at,
    updated_by, call_id)
select unhex(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) || substr('89AB', 1 + abs(random() % 4), 1)
        || substr(hex(randomblob(2)), 2) || hex(randomblob(6))),
    'call', 'pending', 'medium', i.user_id, i.first_name || ' ' || i.last_name, i.email,
    c.topic || coalesce(char(10) || char(10) || c.note, ''), '{}', c.created_at,
    min(strftime('%Y-%m-%dT%H:%M:%S+00:00', c.created_at, '+3 days'),
        replace(json_extract(c.proposed, '$[0]'), 'Z', '+00:00')), c.updated_at, c.updated_by, c.id
from calls c join isos i on i.id = c.iso_id where c.status = 'requested';
insert into search_terms (kind, term, subject_id)
select 'request', t.term, r.id from requests r join search_terms t on t.kind = 'lead' and t.subject_id = r.lead_id
union select 'request', t.term, r.id from requests r join calls c on c.id = r.call_id
    join search_terms t on t.kind = 'iso' and t.subject_id = c.iso_id
union select 'request', w.before || lower(hex(substr(r.id, 1, 4))), r.id from requests r
    join (select 'req-' as before union all select '') w where r.lead_id is not null or r.call_id is not null
union select 'request', 'req', r.id from requests r where r.lead_id is not null or r.call_id is not null;
