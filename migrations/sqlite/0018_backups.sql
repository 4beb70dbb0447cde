-- Backups of the portal that were asked for. What a backup holds says its own folder.
create table backups (
    id blob primary key,
    -- Its folder's.
    name text not null unique,
    state text not null check (state in ('queued', 'running', 'done', 'failed')),
    asked_at text not null,
    asked_by text not null,
    -- The moment it holds.
    made_at text,
    finished_at text,
    rows_count integer not null default 0,
    documents_count integer not null default 0,
    -- Of those, how many could not be read.
    documents_missing integer not null default 0,
    bytes integer not null default 0,
    -- Why it could not be made.
    error text
) strict;
create index backups_newest on backups (asked_at, id);
create index backups_good on backups (made_at) where state = 'done';
create index backups_going_on on backups (asked_at) where state in ('queued', 'running');
