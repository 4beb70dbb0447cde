-- The staff follow a client, a company or a partner through all that happened to their orders, not only through what is
-- public of it: who of them reads the same entries has no index of their own.
drop index activity_by_company;
drop index activity_by_client;
drop index activity_by_iso;
create index activity_by_company on activity (company_id, seq) where seq is not null and company_id is not null;
create index activity_by_client on activity (client_id, seq) where seq is not null and client_id is not null;
create index activity_by_iso on activity (iso_id, seq) where seq is not null and iso_id is not null;
