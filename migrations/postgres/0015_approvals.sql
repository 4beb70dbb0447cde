-- Acts that wait for a second super admin.
create table approvals (
    id uuid primary key,
    act text not null,
    -- The row that the act is on: an id, the key of a new account's email address, or the name of a setting.
    target text not null,
    -- Display name of the target.
    subject text not null,
    -- What was asked for, and the state that it was asked in; no secrets.
    payload jsonb not null,
    status text not null,
    requested_by uuid not null references users (id),
    requester text not null,
    requested_at timestamptz not null,
    expires_at timestamptz not null,
    decided_by uuid references users (id),
    decider text,
    decided_at timestamptz,
    reason text,
    version bigint not null
);
create unique index approvals_pending on approvals (act, target) where status = 'pending';
create index approvals_newest on approvals (requested_at, id);
create index approvals_newest_by_status on approvals (status, requested_at, id);
create index approvals_by_requester on approvals (requested_by);
create index approvals_by_decider on approvals (decided_by);
