-- Who has an order of the company: with when they became a client, as its portal lists the newest first. The default is
-- for the version before this one, which may still run beside it.
alter table company_clients add column client_created_at timestamptz not null default '1970-01-01T00:00:00+00:00';
update company_clients
set client_created_at = (select created_at from users where id = company_clients.client_id);
create index company_clients_newest on company_clients (company_id, client_created_at, client_id);
