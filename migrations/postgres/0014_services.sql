-- Price list: services by country, copied into each new order.
create table services (
    id uuid primary key,
    country text not null,
    name text not null,
    name_key text not null,
    currency text not null,
    -- Our fee.
    price_minor bigint not null,
    -- The fee of the authority, which the office passes on.
    filing_fee_minor bigint not null,
    -- Inactive services are not offered.
    active boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null,
    unique (country, name_key)
);

-- The fee of the authority, beside our fee in `price_minor`.
alter table spvs add column filing_fee_minor bigint;
