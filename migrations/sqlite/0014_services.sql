-- Price list: services by country, copied into each new order.
create table services (
    id blob primary key,
    country text not null,
    name text not null,
    name_key text not null,
    currency text not null,
    -- Our fee.
    price_minor integer not null,
    -- The fee of the authority, which the office passes on.
    filing_fee_minor integer not null,
    -- Inactive services are not offered.
    active integer not null,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null,
    unique (country, name_key)
) strict;

-- The fee of the authority, beside our fee in `price_minor`.
alter table spvs add column filing_fee_minor integer;
