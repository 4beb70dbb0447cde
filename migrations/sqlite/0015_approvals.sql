-- Acts that wait for a second super admin.
create table approvals (
    id blob primary key,
    act text not null,
    -- The row that the act is on: an id, the key of a new account's email address, or the name of a setting.
    target text not null,
    -- Display name of the target.
    subject text not null,
    -- What was asked for, and the state that it was asked in; no secrets.
    payload text not null,
    status text not null,
    requested_by blob not null references users (id),
    requester text not null,
    requested_at text not null,
    expires_at text not null,
    decided_by blob references users (id),
    decider text,
    decided_at text,
    reason text,
    version integer not null
) strict;
create unique index approvals_pending on approvals (act, target) where status = 'pending';
create index approvals_newest on approvals (requested_at, id);
create index approvals_newest_by_status on approvals (status, requested_at, id);
create index approvals_by_requester on approvals (requested_by);
create index approvals_by_decider on approvals (decided_by);
