-- All that the two below wait for, in the order in which somebody who is being added writes.
lock table users, isos, companies, company_clients in share row exclusive mode;

-- What the open orders of partners will earn them when they close, kept by the transactions that change it.
create table expected_commissions (
    iso_id uuid not null references isos (id),
    company_id uuid not null references companies (id),
    currency text not null,
    minor bigint not null,
    primary key (iso_id, company_id, currency)
);
create index expected_commissions_by_company on expected_commissions (company_id);

-- How many have an order of a company: kept by the table that names them, so that it stays right also while the version
-- before this one still writes. Spread over slots, as in `counts`, by a byte of the client.
create table company_client_counts (
    company_id uuid not null references companies (id),
    slot bigint not null,
    clients bigint not null,
    primary key (company_id, slot)
);

-- One statement changes each count once, however many rows it wrote.
create function count_company_clients() returns trigger language plpgsql as $$
begin
    insert into company_client_counts (company_id, slot, clients)
    select company_id, get_byte(uuid_send(client_id), 0) % 16, count(*) * cast(tg_argv[0] as bigint)
    from changed group by 1, 2 order by 1, 2
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + excluded.clients;
    return null;
end
$$;
-- Each trigger waits until nobody is in the middle of a change: what is filled in below misses nothing.
create trigger company_clients_came after insert on company_clients
    referencing new table as changed for each statement execute function count_company_clients('1');
create trigger company_clients_went after delete on company_clients
    referencing old table as changed for each statement execute function count_company_clients('-1');

-- What there is.
insert into expected_commissions (iso_id, company_id, currency, minor)
select r.iso_id, r.company_id, r.currency, cast(sum(r.minor) as bigint) from (
    select s.iso_id, s.company_id, s.currency, s.iso_commission_minor
        - coalesce((select sum(e.amount_minor) from commissions e where e.spv_id = s.id), 0) as minor
    from spvs s where s.status in ('pending', 'active', 'processing', 'on_hold')
    and s.iso_commission_minor > 0 and s.iso_id is not null
) r where r.minor > 0 group by r.iso_id, r.company_id, r.currency;
insert into company_client_counts (company_id, slot, clients)
select company_id, 0, count(*) from company_clients group by company_id;
