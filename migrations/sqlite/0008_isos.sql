-- What ISO partners earn, the people they bring, what they note and the calls they ask for.

-- The numbers of payout runs: one row a year, locked by whoever takes the next one until it commits.
create table payout_numbers (
    year integer primary key,
    last integer not null
) strict;

-- What is paid at one time, to everybody who has something approved.
create table payout_runs (
    id blob primary key,
    year integer not null,
    number integer not null,
    status text not null check (status in ('open', 'paid', 'discarded')),
    created_at text not null,
    created_by text not null,
    paid_date text,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1,
    unique (year, number)
) strict;

-- One transfer: to one partner, in one currency.
create table payouts (
    id blob primary key,
    run_id blob not null references payout_runs (id),
    iso_id blob not null references isos (id),
    currency text not null,
    amount_minor integer not null,
    entries integer not null,
    unique (run_id, iso_id, currency)
) strict;

-- The ledger: a row for what an order earned when it closed, and a negative one where it was taken back. Amounts never
-- change; what is paid does not change at all.
create table commissions (
    id blob primary key,
    iso_id blob not null references isos (id),
    company_id blob not null references companies (id),
    spv_id blob not null references spvs (id),
    client_id blob not null references users (id),
    kind text not null check (kind in ('earned', 'reversed')),
    -- By which rule: a fixed amount, or a rate (ten-thousandths of a percent) of a base.
    rule text not null check (rule in ('fixed', 'percent')),
    rate integer,
    base_minor integer,
    currency text not null,
    amount_minor integer not null,
    status text not null check (status in ('pending', 'approved', 'paid', 'void')),
    earned_date text not null,
    paid_date text,
    reason text,
    payout_id blob references payouts (id),
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1
) strict;
create index commissions_newest on commissions (earned_date, created_at, id);
create index commissions_by_status on commissions (status, earned_date, created_at, id);
create index commissions_by_iso on commissions (iso_id, earned_date, created_at, id);
create index commissions_by_company on commissions (company_id, earned_date, created_at, id);
create index commissions_by_spv on commissions (spv_id, status, amount_minor);
create index commissions_by_payout on commissions (payout_id) where payout_id is not null;
-- What the cards sum, readable from the index alone.
create index commissions_sums on commissions (iso_id, earned_date, currency, status, amount_minor);
create index commissions_due on commissions (iso_id, currency) where status = 'approved' and payout_id is null;
create index commissions_paid on commissions (iso_id) where status = 'paid';

-- Orders that closed before there was a ledger.
insert into commissions (id, iso_id, company_id, spv_id, client_id, kind, rule, rate, base_minor, currency, amount_minor,
    status, earned_date, created_at, updated_at, updated_by)
select id, iso_id, company_id, id, client_id, 'earned',
    case when commission_minor is null then 'percent' else 'fixed' end, iso_commission_percentage,
    case when commission_minor is null then coalesce(purchase_amount_minor, price_minor) end, currency,
    iso_commission_minor, 'pending', substr(coalesce(closed_at, updated_at), 1, 10), coalesce(closed_at, updated_at),
    updated_at, updated_by
from spvs where status = 'closed' and iso_id is not null and iso_commission_minor > 0;

-- People who may become clients. Whoever brought one first is protected for a time.
create table leads (
    id blob primary key,
    iso_id blob not null references isos (id),
    company_id blob not null references companies (id),
    first_name text not null,
    last_name text not null,
    email text not null,
    email_key text not null,
    phone text,
    -- Its digits.
    phone_key text,
    organisation text,
    note text,
    stage text not null check (stage in ('new', 'contacted', 'qualified', 'won', 'lost')),
    next_step text,
    next_step_date text,
    protected_until text not null,
    client_id blob references users (id),
    spv_id blob references spvs (id),
    converted_at text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1
) strict;
create index leads_newest on leads (created_at, id);
create index leads_by_stage on leads (stage, created_at, id);
create index leads_by_iso on leads (iso_id, created_at, id);
create index leads_by_iso_stage on leads (iso_id, stage, created_at, id);
create index leads_by_email on leads (email_key);
create index leads_by_phone on leads (phone_key) where phone_key is not null;

-- What a partner keeps for itself of a client.
create table iso_notes (
    id blob primary key,
    iso_id blob not null references isos (id),
    client_id blob not null references users (id),
    body text not null,
    created_at text not null,
    updated_at text not null,
    version integer not null default 1
) strict;
create index iso_notes_by_client on iso_notes (iso_id, client_id, created_at, id);
create index iso_notes_by_iso on iso_notes (iso_id, created_at, id);

-- Conversations that partners ask for.
create table calls (
    id blob primary key,
    iso_id blob not null references isos (id),
    topic text not null,
    note text,
    minutes integer not null,
    -- The times that would suit, as JSON.
    proposed text not null,
    status text not null check (status in ('requested', 'confirmed', 'declined', 'cancelled')),
    begins_at text,
    -- Where to dial in, or why it cannot be.
    answer text,
    answered_by text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1
) strict;
create index calls_newest on calls (created_at, id);
create index calls_by_status on calls (status, created_at, id);
create index calls_by_iso on calls (iso_id, created_at, id);
