-- Conversations, and what people are told of.

-- One thread for each order, and one general thread for each client. Internal notes of the staff are messages too; what
-- the client may know of a thread stands in columns of its own.
create table threads (
    id blob primary key,
    client_id blob not null references users (id),
    spv_id blob unique references spvs (id),
    last_message_id blob,
    last_at text not null,
    last_public_message_id blob,
    last_public_at text,
    created_at text not null
) strict;
create unique index threads_general on threads (client_id) where spv_id is null;
create index threads_newest on threads (last_at, id);
create index threads_by_client on threads (client_id, last_public_at, id);

create table messages (
    id blob primary key,
    thread_id blob not null references threads (id),
    author_id blob references users (id),
    author_name text not null,
    by_staff integer not null,
    body text not null,
    internal integer not null,
    created_at text not null
) strict;
create index messages_by_thread on messages (thread_id, created_at, id);
create index messages_public on messages (thread_id, created_at, id) where not internal;

-- How much of a thread somebody has not read; no row when all is read.
create table thread_unread (
    user_id blob not null references users (id),
    thread_id blob not null references threads (id),
    unread integer not null,
    primary key (user_id, thread_id)
) strict;

-- Who is told of which activity, where, and whether they know.
create table notifications (
    id blob primary key,
    user_id blob not null references users (id),
    seq integer not null,
    activity_id blob not null references activity (id),
    topic text not null,
    subject_id blob,
    spv_id blob,
    in_app integer not null,
    -- How it is mailed: 'now', 'daily', or null when not, or no more.
    mail text check (mail in ('now', 'daily')),
    created_at text not null,
    read_at text,
    unique (user_id, seq)
) strict;
create index notifications_unread on notifications (user_id, seq) where read_at is null and in_app;
create index notifications_to_mail on notifications (mail, user_id, created_at) where mail is not null;
create index notifications_by_subject on notifications (user_id, subject_id) where read_at is null;

-- The number of the last activity that people have been told of: what happened before there were notifications is old.
create table notified (
    one integer primary key check (one = 1),
    seq integer not null
) strict;
insert into notified (one, seq) select 1, seq from activity_head;

-- What a person wants other than what is usual for the role.
create table notification_choices (
    user_id blob not null references users (id),
    topic text not null,
    in_app integer not null,
    mail text not null check (mail in ('now', 'daily', 'off')),
    primary key (user_id, topic)
) strict;

-- The day, in the person's zone, of the last digest.
create table digests (
    user_id blob primary key references users (id),
    sent_date text not null
) strict;

-- Nobody is told of what a seed or an import did.
alter table activity add column quiet integer not null default 0;

-- The day on which somebody was told that it is nearly due; reminded_date is for what is past.
alter table spv_steps add column warned_date text;
