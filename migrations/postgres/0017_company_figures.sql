-- What a company's orders come to, by partner and currency, kept by the transactions that change them: its overview
-- costs the same for ten orders and a hundred thousand. Orders without a partner are under the nil id. Each figure is
-- spread over slots, as in `counts`.
create table company_figures (
    company_id uuid not null references companies (id),
    iso_id uuid not null,
    currency text not null,
    slot bigint not null,
    spvs bigint not null,
    minor bigint not null,
    primary key (company_id, iso_id, currency, slot)
);

-- Who has an order of the company.
create table company_clients (
    company_id uuid not null references companies (id),
    client_id uuid not null references users (id),
    primary key (company_id, client_id)
);

insert into company_figures (company_id, iso_id, currency, slot, spvs, minor)
select company_id, coalesce(iso_id, '00000000-0000-0000-0000-000000000000'), currency, 0, count(*),
    coalesce(sum(case when status <> 'cancelled' then coalesce(purchase_amount_minor, price_minor) end), 0)
from spvs group by company_id, iso_id, currency;

insert into company_clients (company_id, client_id) select distinct company_id, client_id from spvs;
