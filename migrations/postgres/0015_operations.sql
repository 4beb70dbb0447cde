-- Running the office: a log that is cut without a gap, what was probed, what went wrong, what was looked through.

-- Numbering fills in a row's number and hash once; nothing else of a row ever changes.
drop trigger activity_is_append_only on activity;
drop trigger activity_is_kept on activity;
drop function refuse_activity_change();
create function refuse_activity_change() returns trigger language plpgsql as $$
begin
    raise exception 'a numbered activity row never changes, and none is deleted beyond the checkpoint';
end
$$;
create function refuse_activity_delete() returns trigger language plpgsql as $$
begin
    if old.seq is null or old.seq > coalesce((select seq from activity_checkpoint), 0) then
        raise exception 'activity rows are deleted up to the checkpoint only';
    end if;
    return old;
end
$$;
create function check_activity_checkpoint() returns trigger language plpgsql as $$
begin
    if tg_op <> 'UPDATE' or new.seq <= old.seq
        or not exists (select 1 from activity where seq = new.seq and hash = new.hash) then
        raise exception 'the checkpoint moves on to a row that is there';
    end if;
    return new;
end
$$;
create trigger activity_is_append_only before update on activity
    for each row when (old.seq is not null or new.seq is null or new.hash is null
        or to_jsonb(old) - 'seq' - 'hash' is distinct from to_jsonb(new) - 'seq' - 'hash')
    execute function refuse_activity_change();
create trigger activity_is_not_emptied before truncate on activity
    for each statement execute function refuse_activity_change();

-- The row up to which the log was cut, and its hash: the chain begins there. It only moves on, to a row that is there.
create table activity_checkpoint (
    one bigint primary key check (one = 1),
    seq bigint not null,
    hash text not null
);
insert into activity_checkpoint (one, seq, hash) values (1, 0, '');

create trigger activity_is_kept before delete on activity
    for each row execute function refuse_activity_delete();
create trigger activity_checkpoint_moves_on before update or delete on activity_checkpoint
    for each row execute function check_activity_checkpoint();
create trigger activity_checkpoint_is_kept before truncate on activity_checkpoint
    for each statement execute function refuse_activity_change();

-- A row comes without a number, and its number lies between the checkpoint and the head.
create function check_activity_number() returns trigger language plpgsql as $$
begin
    if new.seq <= coalesce((select seq from activity_checkpoint), 0)
        or new.seq > coalesce((select seq from activity_head), 0) then
        raise exception 'an activity row is numbered in its turn';
    end if;
    return new;
end
$$;
create function check_activity_head() returns trigger language plpgsql as $$
begin
    if tg_op <> 'UPDATE' or new.seq <= old.seq then
        raise exception 'the head of the log only moves on';
    end if;
    return new;
end
$$;
create trigger activity_begins_unnumbered before insert on activity
    for each row when (new.seq is not null or new.hash is not null)
    execute function refuse_activity_change();
create trigger activity_is_numbered_in_order before update on activity
    for each row when (old.seq is null) execute function check_activity_number();
create trigger activity_head_moves_on before update or delete on activity_head
    for each row execute function check_activity_head();
create trigger activity_head_is_kept before truncate on activity_head
    for each statement execute function refuse_activity_change();

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
    ok boolean not null,
    latency_ms bigint,
    detail text,
    -- Failures in a row.
    failures bigint not null default 0,
    last_error text,
    last_error_at timestamptz,
    checked_at timestamptz not null
);

-- What somebody should look at. Of one kind and subject one is open at a time.
create table alerts (
    id uuid primary key,
    kind text not null,
    subject text not null,
    data jsonb not null,
    opened_at timestamptz not null,
    -- When the cause was last seen.
    seen_at timestamptz not null,
    resolved_at timestamptz,
    -- None: the cause ended by itself.
    resolved_by text
);
create unique index alerts_open on alerts (kind, subject) where resolved_at is null;
create index alerts_newest on alerts (opened_at, id);
create index alerts_of_subject on alerts (kind, subject, resolved_at);

-- Looks through the portal that somebody asked for.
create table scans (
    id uuid primary key,
    asked_at timestamptz not null,
    asked_by text not null,
    finished_at timestamptz,
    -- Why it could not be done.
    error text,
    findings jsonb not null
);
create index scans_newest on scans (asked_at, id);

-- The office's own logo, for its pages and for mails to whoever has no company with one.
create table office_logos (
    id uuid primary key,
    media_type text not null,
    bytes bytea not null,
    created_at timestamptz not null
);
