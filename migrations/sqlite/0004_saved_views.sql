-- Saved views of lists: filters and order under a name, per person.
create table saved_views (
    id blob primary key,
    user_id blob not null references users (id),
    list text not null,
    name text not null,
    query text not null,
    position integer not null,
    created_at text not null,
    updated_at text not null,
    version integer not null default 1
) strict;
create index saved_views_by_user on saved_views (user_id, list, position, id);
