-- The users page, looking at the portal as somebody else, and addresses that are kept out.

-- When somebody last signed in or went on with a session.
alter table users add column last_active_at text;
update users set last_active_at = last_sign_in_at;
create index users_by_activity on users (last_active_at desc, id desc);
create index users_by_name on users (first_name, last_name, id);
create index users_by_company_state on users (company_id, status);

-- A super admin who looks at the portal as somebody else sees it. It ends with the session it was begun from.
create table impersonations (
    id blob primary key,
    user_id blob not null references users (id),
    admin_id blob not null references users (id),
    session_id blob not null references sessions (id) on delete cascade,
    reason text not null,
    started_at text not null,
    expires_at text not null,
    ended_at text
) strict;
create index impersonations_by_session on impersonations (session_id);

-- Networks whose requests are not answered.
create table address_blocks (
    id blob primary key,
    -- As people write it: 203.0.113.7 or 203.0.113.0/24.
    network text not null unique,
    reason text,
    created_at text not null,
    created_by text not null
) strict;
