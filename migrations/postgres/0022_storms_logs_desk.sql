-- Refused sign-ins by the place they came from, counted by the second: however many there are of a storm, it is made
-- out by their true number, of which the log tells a few only.
create table sign_in_failures (
    at timestamptz not null,
    place text not null,
    failures bigint not null,
    primary key (at, place)
);

-- The log as super admins look through it: by when things happened, whenever they were numbered.
drop index activity_by_action;
drop index activity_by_address;
create index activity_by_action on activity (action, at, seq) where seq is not null;
create index activity_by_address on activity (address, at, seq) where seq is not null and address is not null;
create index activity_by_actor_and_time on activity (actor_id, at, seq) where seq is not null and actor_id is not null;
