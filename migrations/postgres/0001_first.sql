-- People. A profile of the specification is a row here; its user_id is this id.
create table companies (
    id uuid primary key,
    name text not null,
    business_name text not null,
    email text,
    phone text,
    logo_url text,
    domain text,
    archived_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create index companies_by_name on companies (name, id);

create table users (
    id uuid primary key,
    email text not null,
    email_key text not null unique,
    role text not null check (role in ('client', 'iso', 'employee', 'company_admin', 'super_admin')),
    status text not null check (status in ('pending', 'active', 'suspended', 'archived')),
    first_name text not null,
    last_name text not null,
    phone text,
    address text,
    company_id uuid references companies (id),
    iso_id uuid,
    password_hash text,
    must_change_password boolean not null default false,
    language text not null,
    time_zone text not null,
    last_sign_in_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create index users_newest on users (created_at, id);
create index users_by_state on users (status, created_at, id);
create index users_by_role on users (role, created_at, id);
create index users_by_status on users (role, status, created_at, id);
create index users_by_company on users (company_id, role, created_at, id);
create index users_by_iso on users (iso_id, role, created_at, id);

create table isos (
    id uuid primary key,
    user_id uuid not null unique references users (id),
    first_name text not null,
    last_name text not null,
    email text not null,
    phone text,
    company_id uuid not null references companies (id),
    archived_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create index isos_by_name on isos (first_name, last_name, id);
create index isos_by_company on isos (company_id, first_name, last_name, id);

-- Formation work by country, copied into each order when it is made.
create table templates (
    country text primary key,
    name text not null,
    updated_at timestamptz not null
);
create table template_steps (
    country text not null references templates (country),
    step_order bigint not null,
    step_name text not null,
    owner text not null check (owner in ('staff', 'client', 'iso', 'authority')),
    business_days bigint not null,
    primary key (country, step_order)
);

-- Orders. Amounts are minor units of `currency`; a percentage is in ten-thousandths of a percent.
create table spvs (
    id uuid primary key,
    client_id uuid not null references users (id),
    company_id uuid not null references companies (id),
    iso_id uuid references isos (id),
    custom_identifier text,
    custom_identifier_key text,
    country text not null,
    currency text not null,
    price_minor bigint,
    commission_minor bigint,
    purchase_amount_minor bigint,
    iso_commission_percentage bigint,
    iso_commission_minor bigint,
    status text not null check (status in ('pending', 'active', 'processing', 'on_hold', 'closed', 'cancelled')),
    held_from text,
    cancelled_from text,
    status_reason text,
    ordered_date date not null,
    closed_at timestamptz,
    steps_total bigint not null default 0,
    steps_completed bigint not null default 0,
    steps_pending bigint not null default 0,
    current_step text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create unique index spvs_identifier on spvs (company_id, custom_identifier_key);
create index spvs_by_identifier on spvs (custom_identifier_key) where custom_identifier_key is not null;
create index spvs_newest on spvs (ordered_date, created_at, id);
create index spvs_by_status on spvs (status, ordered_date, created_at, id);
create index spvs_by_client on spvs (client_id, ordered_date, created_at, id);
create index spvs_by_company on spvs (company_id, ordered_date, created_at, id);
create index spvs_by_partner on spvs (company_id, iso_id, ordered_date, created_at, id);
create index spvs_by_iso on spvs (iso_id, ordered_date, created_at, id);
-- What the company and ISO cards sum, readable from the index alone.
create index spvs_company_sums on spvs (company_id, iso_id, currency, purchase_amount_minor, price_minor, client_id, status);
create index spvs_iso_sums on spvs (iso_id, ordered_date, currency, iso_commission_minor, status);

create table spv_steps (
    id uuid primary key,
    spv_id uuid not null references spvs (id),
    step_order bigint not null,
    step_name text not null,
    status text not null check (status in ('pending', 'in_progress', 'completed', 'blocked')),
    owner text not null check (owner in ('staff', 'client', 'iso', 'authority')),
    text_data text,
    document_url text,
    completed_at timestamptz,
    due_date date,
    reminded_date date,
    blocked_reason text,
    waiting_on text check (waiting_on in ('staff', 'client', 'iso', 'authority', 'other')),
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create index spv_steps_by_spv on spv_steps (spv_id, step_order, id);
create index spv_steps_due on spv_steps (due_date, id) where status <> 'completed';

-- Office-wide counters, kept by the transactions that change what they count. Each counter is spread over
-- slots so that writers on PostgreSQL do not queue on one row; its value is the sum of its slots.
create table counts (
    name text not null,
    slot bigint not null,
    value bigint not null,
    primary key (name, slot)
);

-- Words of each row, lower case, for search by prefix with one index on both databases.
create table search_terms (
    kind text not null collate "C",
    term text not null collate "C",
    subject_id uuid not null,
    primary key (kind, term, subject_id)
);
create index search_terms_by_subject on search_terms (subject_id);

-- Sign-in.
create table sessions (
    id uuid primary key,
    user_id uuid not null references users (id),
    aal text not null,
    amr jsonb not null,
    refresh_counter bigint not null,
    refreshed_at timestamptz not null,
    created_at timestamptz not null,
    ended_at timestamptz,
    user_agent text,
    address text
);
create index sessions_by_user on sessions (user_id, created_at) where ended_at is null;
create index sessions_live on sessions (refreshed_at) where ended_at is null;

create table links (
    id uuid primary key,
    user_id uuid not null references users (id),
    kind text not null check (kind in ('recovery', 'invite')),
    token_hash text not null unique,
    code_hash text not null,
    attempts bigint not null default 0,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);
create index links_by_user on links (user_id, kind, created_at);
create index links_expired on links (expires_at);

-- The outbox. The text of a mail is made when it is sent; `data` holds no secrets.
create table mails (
    id uuid primary key,
    kind text not null,
    -- None: somebody without an account, who asked for something.
    user_id uuid references users (id),
    spv_id uuid references spvs (id),
    to_email text not null,
    to_name text not null,
    language text not null,
    data jsonb not null,
    message_id text not null unique,
    status text not null check (status in ('queued', 'sent', 'failed')),
    attempts bigint not null default 0,
    last_error text,
    created_at timestamptz not null,
    sent_at timestamptz
);
create index mails_newest on mails (created_at, id);
create index mails_by_status on mails (status, created_at, id);
create index mails_by_user on mails (user_id, kind, created_at);

create table idempotency_keys (
    actor text not null,
    key text not null,
    request_hash text not null,
    created_id uuid not null,
    created_at timestamptz not null,
    primary key (actor, key)
);
create index idempotency_keys_old on idempotency_keys (created_at);

create table requests (
    id uuid primary key,
    kind text not null,
    status text not null check (status in ('pending', 'in_review', 'approved', 'rejected', 'withdrawn')),
    user_id uuid references users (id),
    iso_id uuid references isos (id),
    name text not null,
    email text not null,
    message text not null,
    data jsonb not null,
    address text,
    created_at timestamptz not null,
    version bigint not null default 1
);
create index requests_newest on requests (created_at, id);
create index requests_by_status on requests (status, created_at, id);
create index requests_by_iso on requests (iso_id, kind, status);

create table settings (
    name text primary key,
    value jsonb not null,
    updated_at timestamptz not null,
    updated_by text not null
);

-- One row for each minute in which a worker was alive; uptime is their share.
create table heartbeats (
    minute bigint primary key
);

-- The activity log. A row is written unnumbered by the transaction that did the thing; the sequencer numbers
-- and chains committed rows in order; a numbered row never changes.
create table activity (
    id uuid primary key,
    seq bigint unique,
    hash text,
    -- The place among the events of one transaction, which may share a microsecond.
    nth bigint not null,
    at timestamptz not null,
    actor_kind text not null,
    actor_id uuid,
    actor_name text not null,
    action text not null,
    subject_kind text not null,
    subject_id uuid,
    subject_label text not null,
    company_id uuid,
    client_id uuid,
    iso_id uuid,
    spv_id uuid,
    public boolean not null,
    address text,
    user_agent text,
    data jsonb not null
);
create index activity_unnumbered on activity (at, nth, id) where seq is null;
-- The feed of the staff's dashboard.
create index activity_work on activity (seq)
    where seq is not null and subject_kind in ('client', 'company', 'iso', 'spv', 'step', 'request');
-- A row enters these when it is numbered, and only once.
create index activity_by_spv on activity (spv_id, seq) where seq is not null;
create index activity_by_subject on activity (subject_id, seq) where seq is not null;
create index activity_by_company on activity (company_id, seq) where seq is not null and public;
create index activity_by_client on activity (client_id, seq) where seq is not null and public;
create index activity_by_iso on activity (iso_id, seq) where seq is not null and public;
create table activity_head (
    one bigint primary key check (one = 1),
    seq bigint not null,
    hash text not null
);
insert into activity_head (one, seq, hash) values (1, 0, '');

create function refuse_activity_change() returns trigger language plpgsql as $$
begin
    raise exception 'a numbered activity row never changes and none is ever deleted';
end
$$;
create trigger activity_is_append_only before update on activity
    for each row when (old.seq is not null) execute function refuse_activity_change();
create trigger activity_is_kept before delete on activity
    for each row execute function refuse_activity_change();

insert into templates (country, name, updated_at) values
    ('US', 'Delaware limited liability company', '2026-01-01T00:00:00+00:00'),
    ('AE', 'ADGM special purpose vehicle', '2026-01-01T00:00:00+00:00'),
    ('JP', 'Godo kaisha (GK)', '2026-01-01T00:00:00+00:00'),
    ('SG', 'Private company limited by shares', '2026-01-01T00:00:00+00:00'),
    ('TH', 'Private limited company', '2026-01-01T00:00:00+00:00');
insert into template_steps (country, step_order, step_name, owner, business_days) values
    ('US', 1, 'KYC and beneficial owners', 'client', 3),
    ('US', 2, 'Name check and reservation', 'staff', 5),
    ('US', 3, 'Registered agent appointed', 'staff', 6),
    ('US', 4, 'Certificate of formation filed', 'authority', 10),
    ('US', 5, 'EIN from the IRS', 'authority', 15),
    ('US', 6, 'Operating agreement signed', 'client', 18),
    ('US', 7, 'Bank account opened', 'staff', 28),
    ('US', 8, 'Closing binder delivered', 'staff', 30),
    ('AE', 1, 'KYC and source of funds', 'client', 5),
    ('AE', 2, 'Name reservation', 'staff', 7),
    ('AE', 3, 'Company service provider appointed', 'staff', 8),
    ('AE', 4, 'Articles of association signed', 'client', 12),
    ('AE', 5, 'Incorporation and commercial licence', 'authority', 20),
    ('AE', 6, 'Corporate tax registration', 'authority', 30),
    ('AE', 7, 'Bank account opened', 'staff', 45),
    ('AE', 8, 'Closing binder delivered', 'staff', 47),
    ('JP', 1, 'KYC and member certificates', 'client', 5),
    ('JP', 2, 'Trade name and address check', 'staff', 7),
    ('JP', 3, 'Articles of incorporation signed', 'client', 12),
    ('JP', 4, 'Capital paid in', 'client', 15),
    ('JP', 5, 'Registration at the Legal Affairs Bureau', 'authority', 25),
    ('JP', 6, 'Tax office notifications', 'staff', 30),
    ('JP', 7, 'Bank account opened', 'staff', 45),
    ('JP', 8, 'Closing binder delivered', 'staff', 47),
    ('SG', 1, 'KYC and controllers register', 'client', 3),
    ('SG', 2, 'Name application with ACRA', 'staff', 4),
    ('SG', 3, 'Local director and secretary appointed', 'staff', 6),
    ('SG', 4, 'Constitution signed', 'client', 8),
    ('SG', 5, 'Incorporation with ACRA', 'authority', 10),
    ('SG', 6, 'Tax registration with IRAS', 'authority', 15),
    ('SG', 7, 'Bank account opened', 'staff', 30),
    ('SG', 8, 'Closing binder delivered', 'staff', 32),
    ('TH', 1, 'KYC and shareholder documents', 'client', 5),
    ('TH', 2, 'Name reservation with the DBD', 'staff', 7),
    ('TH', 3, 'Memorandum of association filed', 'staff', 10),
    ('TH', 4, 'Articles and statutory meeting', 'client', 15),
    ('TH', 5, 'Company registration with the DBD', 'authority', 20),
    ('TH', 6, 'Tax identification and VAT', 'authority', 28),
    ('TH', 7, 'Bank account opened', 'staff', 40),
    ('TH', 8, 'Closing binder delivered', 'staff', 42);
