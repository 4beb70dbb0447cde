-- Saved views of lists: filters and order under a name, per person.
create table saved_views (
    id uuid primary key,
    user_id uuid not null references users (id),
    list text not null,
    name text not null,
    query text not null,
    position bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version bigint not null default 1
);
create index saved_views_by_user on saved_views (user_id, list, position, id);
