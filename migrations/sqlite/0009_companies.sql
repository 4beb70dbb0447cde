-- What a company says of itself, how its portal shows things, and its logo.

alter table companies add column tax_id text;
-- Alpha-2: says how a tax id is written.
alter table companies add column country text not null default 'US';
alter table companies add column industry text check (industry in ('technology', 'finance', 'healthcare', 'manufacturing'));
alter table companies add column size text check (size in ('1-10', '11-50', '51-200', '201+'));
alter table companies add column website text;
alter table companies add column address text;
alter table companies add column time_zone text not null default 'America/New_York';
alter table companies add column language text not null default 'en-US';
-- Of new orders; null: the office's.
alter table companies add column currency text;
alter table companies add column logo_id blob;

-- The picture itself: small, and looked at before it is kept. A replaced one is gone.
create table company_logos (
    id blob primary key,
    company_id blob not null unique references companies (id),
    media_type text not null,
    bytes blob not null,
    created_at text not null
) strict;

-- Whoever has not chosen a language is written to in the company's.
alter table users add column language_chosen integer not null default 0;
update users set language_chosen = 1 where language <> 'en-US';

-- Archived by the company itself, which may bring the account back; not what the office archived.
alter table users add column removed_by_company integer not null default 0;

-- A company's portfolio by amount: never across currencies.
create index spvs_company_amount on spvs (company_id, currency, coalesce(purchase_amount_minor, price_minor, 0), id);
