-- Cancelled orders count in no card of a company's overview (decision 14): how many they are, by partner and currency, and
-- how many orders of each client are not cancelled. What is kept of rows that are there comes with `doctor --recount`.
alter table company_figures add column cancelled bigint not null default 0;
alter table company_clients add column spvs bigint not null default 1;

create or replace function count_company_clients() returns trigger language plpgsql as $$
begin
    insert into company_client_counts (company_id, slot, clients)
    select company_id, get_byte(uuid_send(client_id), 0) % 16, count(*) * cast(tg_argv[0] as bigint)
    from changed where spvs > 0 group by 1, 2 order by 1, 2
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + excluded.clients;
    return null;
end
$$;
create function count_company_client_change() returns trigger language plpgsql as $$
begin
    insert into company_client_counts (company_id, slot, clients)
    values (new.company_id, get_byte(uuid_send(new.client_id), 0) % 16, case when new.spvs > 0 then 1 else -1 end)
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + excluded.clients;
    return null;
end
$$;
create trigger company_clients_changed after update of spvs on company_clients
    for each row when ((old.spvs > 0) is distinct from (new.spvs > 0)) execute function count_company_client_change();
