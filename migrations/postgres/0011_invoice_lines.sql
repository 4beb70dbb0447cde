-- Lines of invoices with quantity, unit price, kind and tax rate.
alter table invoice_lines add column kind text not null default 'fee' check (kind in ('fee', 'filing_fee', 'discount'));
-- In thousandths.
alter table invoice_lines add column quantity bigint not null default 1000;
-- Null is the amount of the line, as of lines before there were quantities. Negative for a discount.
alter table invoice_lines add column unit_price_minor bigint;
-- Ten-thousandths of a percent.
alter table invoice_lines add column tax_percent bigint not null default 0;

-- Written by hand, beside the invoices over the order's price.
alter table invoices add column manual boolean not null default false;
-- The tax within the total, and how it follows from the lines.
alter table invoices add column tax_minor bigint not null default 0;
alter table invoices add column tax_included boolean not null default true;
alter table invoices add column tax_rounding text not null default 'line' check (tax_rounding in ('line', 'total'));
alter table invoices add column tax_name text;
-- Why no tax is charged, such as reverse charge.
alter table invoices add column tax_note text;
alter table invoices add column terms text;
-- The tax within the amount.
alter table credit_notes add column tax_minor bigint not null default 0;

-- Installments of an invoice, such as deposit and balance. An invoice without is due at once.
create table invoice_installments (
    invoice_id uuid not null references invoices (id),
    installment_order bigint not null,
    due_date date not null,
    amount_minor bigint not null check (amount_minor > 0),
    primary key (invoice_id, installment_order)
);

-- Bank account of an ISO partner for payouts: an IBAN, or an account and a routing number.
create table iso_accounts (
    iso_id uuid primary key references isos (id),
    account_holder text not null,
    iban text,
    account_number text,
    routing_number text,
    bic text,
    entered_at timestamptz not null,
    entered_by text not null,
    confirmed_at timestamptz,
    confirmed_by text,
    version bigint not null
);
