-- Cancelled orders count in no card of a company's overview (decision 14): how many they are, by partner and currency, and
-- how many orders of each client are not cancelled. What is kept of rows that are there comes with `doctor --recount`.
alter table company_figures add column cancelled integer not null default 0;
alter table company_clients add column spvs integer not null default 1;

drop trigger company_clients_came;
drop trigger company_clients_went;
create trigger company_clients_came after insert on company_clients when new.spvs > 0
begin
    insert into company_client_counts (company_id, slot, clients) values (new.company_id, 0, 1)
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + 1;
end;
create trigger company_clients_went after delete on company_clients when old.spvs > 0
begin
    insert into company_client_counts (company_id, slot, clients) values (old.company_id, 0, -1)
    on conflict (company_id, slot) do update set clients = company_client_counts.clients - 1;
end;
create trigger company_clients_changed after update of spvs on company_clients when (old.spvs > 0) <> (new.spvs > 0)
begin
    insert into company_client_counts (company_id, slot, clients)
    values (new.company_id, 0, case when new.spvs > 0 then 1 else -1 end)
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + excluded.clients;
end;
