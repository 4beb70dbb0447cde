-- Orders asked for by clients, what they owe for them, and what they say of themselves.

-- What became of a request: the order it was accepted as, or why it was not.
alter table requests add column spv_id uuid references spvs (id);
alter table requests add column reason text;
alter table requests add column decided_at timestamptz;
alter table requests add column decided_by text;
create index requests_by_user on requests (user_id, created_at, id);
create index requests_by_kind on requests (kind, created_at, id);
create index requests_by_kind_status on requests (kind, status, created_at, id);

-- The office's numbers: one row a year, locked by whoever takes the next one until it commits, so that there are no gaps.
create table invoice_numbers (
    year bigint primary key,
    last bigint not null
);

create table invoices (
    id uuid primary key,
    year bigint not null,
    number bigint not null,
    spv_id uuid not null references spvs (id),
    client_id uuid not null references users (id),
    -- As it stands on the paper, whatever the client is called later.
    billed_to text not null,
    billed_address text,
    currency text not null,
    total_minor bigint not null,
    paid_minor bigint not null default 0,
    status text not null check (status in ('due', 'part_paid', 'paid', 'void')),
    issued_date date not null,
    due_date date not null,
    void_reason text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1,
    unique (year, number)
);
create index invoices_by_status on invoices (status, year, number);
create index invoices_by_client on invoices (client_id, year, number);
create index invoices_by_client_status on invoices (client_id, status, year, number);
create index invoices_by_spv on invoices (spv_id, year, number);
-- What is owed, readable from the index alone.
create index invoices_owed on invoices (status, client_id, currency, due_date, total_minor, paid_minor);

create table invoice_lines (
    invoice_id uuid not null references invoices (id),
    line_order bigint not null,
    description text not null,
    amount_minor bigint not null,
    primary key (invoice_id, line_order)
);

create table invoice_payments (
    id uuid primary key,
    invoice_id uuid not null references invoices (id),
    -- How it came: 'manual' is a transfer that somebody saw on the account.
    way text not null,
    amount_minor bigint not null,
    received_date date not null,
    note text,
    recorded_by text not null,
    created_at timestamptz not null
);
create index invoice_payments_by_invoice on invoice_payments (invoice_id, created_at, id);

-- What a client sent as proof of a payment.
create table invoice_receipts (
    id uuid primary key,
    invoice_id uuid not null references invoices (id),
    document_id uuid not null,
    sent_by text not null,
    created_at timestamptz not null,
    unique (invoice_id, document_id)
);

-- What people say of themselves. `company` is free text (decision 35).
alter table users add column company text;
alter table users add column job_title text;
alter table users add column dob date;
alter table users add column street_address text;
alter table users add column city text;
alter table users add column state text;
alter table users add column zip_code text;
alter table users add column country text;
-- How they want things shown.
alter table users add column theme text not null default 'auto';
alter table users add column date_format text not null default 'auto';

-- One's own log.
create index activity_by_actor on activity (actor_id, seq) where seq is not null;
