-- Running the office: a log that is cut without a gap, what was probed, what went wrong, what was looked through.

-- Numbering fills in a row's number and hash once; nothing else of a row ever changes.
drop trigger activity_is_append_only;
drop trigger activity_is_kept;
create trigger activity_is_append_only before update on activity
when old.seq is not null or new.seq is null or new.hash is null or new.rowid is not old.rowid
    or new.id is not old.id or new.nth is not old.nth or new.at is not old.at or new.actor_kind is not
    old.actor_kind or new.actor_id is not old.actor_id or new.actor_name is not old.actor_name or new.action
    is not old.action or new.subject_kind is not old.subject_kind or new.subject_id is not old.subject_id or
    new.subject_label is not old.subject_label or new.company_id is not old.company_id or new.client_id is not
    old.client_id or new.iso_id is not old.iso_id or new.spv_id is not old.spv_id or new.public is not
    old.public or new.address is not old.address or new.user_agent is not old.user_agent or new.data is not
    old.data or new.quiet is not old.quiet
begin
    select raise(abort, 'a numbered activity row never changes');
end;

-- The row up to which the log was cut, and its hash: the chain begins there. It only moves on, to a row that is there.
create table activity_checkpoint (
    one integer primary key check (one = 1),
    seq integer not null,
    hash text not null
) strict;
insert into activity_checkpoint (one, seq, hash) values (1, 0, '');

create trigger activity_is_kept before delete on activity
when old.seq is null or old.seq > coalesce((select seq from activity_checkpoint), 0)
begin
    select raise(abort, 'activity rows are deleted up to the checkpoint only');
end;
create trigger activity_checkpoint_moves_on before update on activity_checkpoint
when new.seq <= old.seq or not exists (select 1 from activity where seq = new.seq and hash = new.hash)
begin
    select raise(abort, 'the checkpoint moves on to a row that is there');
end;
create trigger activity_checkpoint_is_kept before delete on activity_checkpoint
begin
    select raise(abort, 'the checkpoint is kept');
end;
-- `insert or replace` takes a row's place without a word to the triggers of updates and deletes.
create trigger activity_checkpoint_is_one before insert on activity_checkpoint
begin
    select raise(abort, 'the checkpoint moves on to a row that is there');
end;

-- A row comes without a number, never in another's place, and its number lies between the checkpoint and the head.
create trigger activity_begins_unnumbered before insert on activity
when new.seq is not null or new.hash is not null
    or exists (select 1 from activity where id = new.id or rowid = new.rowid)
begin
    select raise(abort, 'an activity row is new and has no number yet');
end;
create trigger activity_is_numbered_in_order before update on activity
when old.seq is null
    and (new.seq <= coalesce((select seq from activity_checkpoint), 0)
        or new.seq > coalesce((select seq from activity_head), 0)
        or exists (select 1 from activity where seq = new.seq))
begin
    select raise(abort, 'an activity row is numbered in its turn');
end;
create trigger activity_head_moves_on before update on activity_head
when new.seq <= old.seq
begin
    select raise(abort, 'the head of the log only moves on');
end;
create trigger activity_head_is_kept before delete on activity_head
begin
    select raise(abort, 'the head of the log only moves on');
end;
create trigger activity_head_is_one before insert on activity_head
begin
    select raise(abort, 'the head of the log only moves on');
end;

create index notifications_by_activity on notifications (activity_id);
-- The log as super admins look through it.
create index activity_by_time on activity (at, seq) where seq is not null;
create index activity_by_action on activity (action, seq) where seq is not null;
create index activity_by_address on activity (address, seq) where seq is not null and address is not null;

-- Mails that wait though they were tried.
create index mails_waiting on mails (attempts) where status = 'queued';

-- How each part of the portal stood when it was last probed.
create table probes (
    name text primary key,
    ok integer not null,
    latency_ms integer,
    detail text,
    -- Failures in a row.
    failures integer not null default 0,
    last_error text,
    last_error_at text,
    checked_at text not null
) strict;

-- What somebody should look at. Of one kind and subject one is open at a time.
create table alerts (
    id blob primary key,
    kind text not null,
    subject text not null,
    data text not null,
    opened_at text not null,
    -- When the cause was last seen.
    seen_at text not null,
    resolved_at text,
    -- None: the cause ended by itself.
    resolved_by text
) strict;
create unique index alerts_open on alerts (kind, subject) where resolved_at is null;
create index alerts_newest on alerts (opened_at, id);
create index alerts_of_subject on alerts (kind, subject, resolved_at);

-- Looks through the portal that somebody asked for.
create table scans (
    id blob primary key,
    asked_at text not null,
    asked_by text not null,
    finished_at text,
    -- Why it could not be done.
    error text,
    findings text not null
) strict;
create index scans_newest on scans (asked_at, id);

-- The office's own logo, for its pages and for mails to whoever has no company with one.
create table office_logos (
    id blob primary key,
    media_type text not null,
    bytes blob not null,
    created_at text not null
) strict;
