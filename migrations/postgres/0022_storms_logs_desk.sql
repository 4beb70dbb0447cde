-- Refused sign-ins by the place they came from, counted by the second: however many there are of a storm, it is made
-- out by their true number, of which the log tells a few only.
create table sign_in_failures (
    at timestamptz not null,
    place text not null,
    failures bigint not null,
    primary key (at, place)
);
