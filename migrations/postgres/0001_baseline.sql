-- The schema of 0.1.0 on PostgreSQL. Types and rules: ../README.md.

-- Companies: whose orders the office forms.
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
    version bigint not null default 1,
    tax_id text,
    -- Alpha-2: says how a tax id is written.
    country text not null default 'US',
    industry text check (industry in ('technology', 'finance', 'healthcare', 'manufacturing')),
    size text check (size in ('1-10', '11-50', '51-200', '201+')),
    website text,
    address text,
    time_zone text not null default 'America/New_York',
    language text not null default 'en-US',
    -- Currency of new orders; null: the office's default.
    currency text,
    logo_id uuid,
    -- The name as it is compared for uniqueness (text::unique_key).
    name_key text
);
create index companies_by_name on companies (name, id);
create unique index companies_by_key on companies (name_key) where archived_at is null;
create index companies_by_any_key on companies (name_key);

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
    version bigint not null default 1,
    -- User metadata of the auth protocol, written by the user; never used for authorisation.
    metadata jsonb not null default '{}',
    -- App metadata of the auth protocol, written by an admin; never used for authorisation.
    app_metadata jsonb not null default '{}',
    -- Pending change of address, and the confirmation received so far: 'current' or 'new'.
    new_email text,
    new_email_key text,
    new_email_confirmed text,
    -- Banned until then through the auth protocol.
    banned_until timestamptz,
    -- Signed up, and the address is not confirmed yet: the account opens by the link, not by its password.
    awaits_confirmation boolean not null default false,
    -- Signed up by itself: the password was chosen before the address was confirmed.
    self_made boolean not null default false,
    -- When each kind of authentication mail was last requested (rate limit).
    confirmation_sent_at timestamptz,
    recovery_sent_at timestamptz,
    email_change_sent_at timestamptz,
    reauthentication_sent_at timestamptz,
    invited_at timestamptz,
    -- Profile. `company` is free text (decision 35).
    company text,
    job_title text,
    dob date,
    street_address text,
    city text,
    state text,
    zip_code text,
    country text,
    -- Display preferences.
    theme text not null default 'auto',
    date_format text not null default 'auto',
    -- False: mails use the company's language.
    language_chosen boolean not null default false,
    -- Archived by the company, which may restore it; false for accounts that the office archived.
    removed_by_company boolean not null default false,
    -- Last sign-in or token refresh.
    last_active_at timestamptz,
    -- The status that a suspended or archived account is restored to.
    status_before text check (status_before in ('pending', 'active'))
) with (fillfactor = 85);
create index users_newest on users (created_at, id);
create index users_by_state on users (status, created_at, id);
create index users_by_role on users (role, created_at, id);
create index users_by_status on users (role, status, created_at, id);
create index users_by_company on users (company_id, role, created_at, id);
create index users_by_iso on users (iso_id, role, created_at, id);
create index users_by_new_email on users (new_email_key) where new_email_key is not null;
-- Finds clients by the digits of their phone number, for duplicate leads.
create index users_by_phone on users (
    (replace(replace(replace(replace(replace(replace(replace(phone, ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', ''), '+', ''))
) where role = 'client';
create index users_by_activity on users (last_active_at desc nulls last, id desc);
create index users_by_name on users (first_name, last_name, id);
create index users_by_company_state on users (company_id, status);
create index users_of_company_by_name on users (company_id, first_name, last_name, id);
create index users_of_iso_by_name on users (iso_id, first_name, last_name, id);

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

-- Templates: the formation steps of a country, copied into each new order.
create table templates (
    country text primary key,
    name text not null,
    updated_at timestamptz not null,
    -- Version for optimistic locking, and the last editor.
    version bigint not null default 1,
    updated_by text
);

create table template_steps (
    country text not null references templates (country),
    step_order bigint not null,
    step_name text not null,
    owner text not null check (owner in ('staff', 'client', 'iso', 'authority')),
    business_days bigint not null,
    completes_with_documents boolean not null default false,
    -- JSON list of the step orders that must be completed first.
    depends_on jsonb not null default '[]',
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
-- Covering indexes for the sums on company and ISO partner cards.
create index spvs_company_sums on spvs (company_id, iso_id, currency, purchase_amount_minor, price_minor, client_id, status);
create index spvs_iso_sums on spvs (iso_id, ordered_date, currency, iso_commission_minor, status);
-- A company's portfolio by amount, per currency.
create index spvs_company_amount on spvs (company_id, currency, coalesce(purchase_amount_minor, price_minor, 0), id);
-- Covering index for a company's finances and analytics.
create index spvs_company_figures on spvs (company_id, ordered_date, status, iso_id, country, currency,
    purchase_amount_minor, price_minor, id);
-- Indexes for the counters on dashboard cards.
create index spvs_company_clients on spvs (company_id, client_id) where client_id is not null;

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
    version bigint not null default 1,
    -- Completes the step once its last required document is approved or waived.
    completes_with_documents boolean not null default false,
    -- Days of the reminders: warned_date before the due date, reminded_date after it.
    warned_date date,
    -- The staff member responsible.
    assignee_id uuid references users (id)
);
create index spv_steps_by_spv on spv_steps (spv_id, step_order, id);
create index spv_steps_due on spv_steps (due_date, id) where completed_at is null;
create index spv_steps_by_assignee on spv_steps (assignee_id, due_date, id)
    where assignee_id is not null and completed_at is null;
create index spv_steps_done on spv_steps (completed_at, id) where completed_at is not null;
-- Partial indexes for the hourly reminders: only rows without one.
create index spv_steps_to_remind on spv_steps (reminded_date, due_date, id) where completed_at is null and reminded_date is null;

-- Counters of the office, updated in the transaction that changes what they count. A value is the sum of its slots:
-- on PostgreSQL concurrent writers use different ones.
create table counts (
    name text not null,
    slot bigint not null,
    value bigint not null,
    primary key (name, slot)
);

-- Sessions of sign-ins.
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
    address text,
    -- The second factor that raised the session to aal2.
    factor_id uuid,
    -- Refresh tokens issued before the second factor was verified are invalid.
    raised_counter bigint not null default 0
);
create index sessions_by_user on sessions (user_id, created_at) where ended_at is null;
create index sessions_live on sessions (refreshed_at) where ended_at is null;
create index sessions_ended on sessions (ended_at) where ended_at is not null;

create table links (
    id uuid primary key,
    user_id uuid not null references users (id),
    kind text not null check (kind in ('recovery', 'invite', 'signup', 'magiclink', 'email_change_current', 'email_change_new', 'reauthentication')),
    token_hash text not null unique,
    code_hash text not null,
    attempts bigint not null default 0,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    -- The PKCE flow that requested the link.
    flow_id uuid
);
create index links_by_user on links (user_id, kind, created_at);
create index links_expired on links (expires_at);

-- Outbox of mails. The text is rendered when a mail is sent; `data` holds no secrets.
create table mails (
    id uuid primary key,
    kind text not null,
    -- Null: a recipient without an account.
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
    sent_at timestamptz,
    -- Overrides the account's address, for confirming a new one.
    link_kind text,
    flow_id uuid,
    -- When delivery failed for good; staff see it beside the address.
    failed_at timestamptz
);
create index mails_newest on mails (created_at, id);
create index mails_by_status on mails (status, created_at, id);
create index mails_by_user on mails (user_id, kind, created_at);
-- Mails that are being retried.
create index mails_waiting on mails (attempts) where status = 'queued';
create index mails_failed on mails (user_id, failed_at) where failed_at is not null;

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
    version bigint not null default 1,
    -- Outcome: the order it was accepted as, or the reason it was declined.
    spv_id uuid references spvs (id),
    reason text,
    decided_at timestamptz,
    decided_by text,
    -- Language of answers to a requester without an account.
    language text,
    -- Request desk: priority, assignee, due time, resulting record.
    priority text not null default 'medium' check (priority in ('high', 'medium', 'low')),
    assignee_id uuid references users (id),
    due_at timestamptz,
    updated_at timestamptz,
    updated_by text,
    -- The record created by approving it: client, ISO partner, company or staff account.
    made_kind text check (made_kind in ('client', 'iso', 'company', 'user')),
    made_id uuid,
    email_key text
);
create index requests_newest on requests (created_at, id);
create index requests_by_status on requests (status, created_at, id);
create index requests_by_iso on requests (iso_id, kind, status);
create index requests_by_user on requests (user_id, created_at, id);
create index requests_by_kind on requests (kind, created_at, id);
create index requests_by_kind_status on requests (kind, status, created_at, id);
create index requests_by_priority on requests (priority, created_at, id);
create index requests_by_assignee on requests (assignee_id, created_at, id);
create index requests_by_due on requests (due_at, id);
create index requests_by_rank on requests ((case priority when 'high' then 1 when 'medium' then 2 else 3 end), due_at, id);
-- Open requests in the order of the desk.
create index requests_open on requests (priority, due_at, id) where status in ('pending', 'in_review');
create index requests_open_by_email on requests (email_key, kind) where status in ('pending', 'in_review');

create table settings (
    name text primary key,
    value jsonb not null,
    updated_at timestamptz not null,
    updated_by text not null
);

-- Heartbeats: one row per minute in which a worker was alive, for the uptime figure.
create table heartbeats (
    minute bigint primary key
);

-- Activity log (audit log). A transaction appends rows without a number; the sequencer numbers committed rows and
-- chains their hashes. A numbered row never changes.
create table activity (
    id uuid primary key,
    seq bigint unique,
    hash text,
    -- Position among the events of one transaction, which may share a timestamp.
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
    data jsonb not null,
    -- No notifications: written by a seed or an import.
    quiet boolean not null default false,
    -- Folded texts for searching the log (text::search_fold).
    subject_key text,
    actor_key text
);
create index activity_unnumbered on activity (at, nth, id) where seq is null;
-- Partial indexes: a row enters once, when it is numbered.
create index activity_by_spv on activity (spv_id, seq) where seq is not null;
create index activity_by_subject on activity (subject_id, seq) where seq is not null;
-- Audit log of the auth protocol: all, by action, by author.
create index activity_of_accounts on activity (seq) where seq is not null and subject_kind = 'user';
create index activity_of_accounts_by_action on activity (action, seq) where seq is not null and subject_kind = 'user';
create index activity_of_accounts_by_actor on activity (actor_id, actor_name, seq) where seq is not null and subject_kind = 'user';
-- A person's own log.
create index activity_by_actor on activity (actor_id, seq) where seq is not null;
-- Log of the request desk.
create index activity_requests on activity (seq) where seq is not null and subject_kind = 'request';
-- Search of the log by super admins.
create index activity_by_time on activity (at, seq) where seq is not null;
create index activity_by_company on activity (company_id, seq) where seq is not null and company_id is not null;
create index activity_by_client on activity (client_id, seq) where seq is not null and client_id is not null;
create index activity_by_iso on activity (iso_id, seq) where seq is not null and iso_id is not null;
create index activity_work on activity (seq)
    where seq is not null and subject_kind in ('client', 'company', 'iso', 'spv', 'step', 'request',
        'document', 'document_request', 'invoice', 'thread');
create index activity_by_action on activity (action, at, seq) where seq is not null;
create index activity_by_address on activity (address, at, seq) where seq is not null and address is not null;
create index activity_by_actor_and_time on activity (actor_id, at, seq) where seq is not null and actor_id is not null;

create table activity_head (
    one bigint primary key check (one = 1),
    seq bigint not null,
    hash text not null
);

-- Identities at OpenID providers. The email identity is the account itself.
create table identities (
    id uuid primary key,
    user_id uuid not null references users (id),
    provider text not null,
    provider_id text not null,
    email text not null,
    data jsonb not null,
    last_sign_in_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (provider, provider_id)
);
create index identities_by_user on identities (user_id, created_at);

-- PKCE flows: sign-ins through a mail link or an OpenID provider.
create table flows (
    id uuid primary key,
    user_id uuid references users (id),
    -- 'oauth' or the kind of the link; becomes the session's `amr`.
    method text not null,
    code_challenge text,
    code_challenge_method text,
    auth_code_hash text unique,
    redirect_to text not null,
    provider text,
    -- State for the provider's callback; useless without its code.
    provider_nonce text,
    provider_verifier text,
    linking_user_id uuid references users (id),
    -- The provider's answer, until the flow's code is exchanged.
    arrival jsonb,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    code_issued_at timestamptz,
    used_at timestamptz,
    -- The session that is linking a provider. Not a foreign key: the session may have been deleted.
    linking_session_id uuid,
    -- Provider tokens, encrypted under the authorisation code; the database holds only the code's hash.
    provider_tokens text
);
create index flows_by_user on flows (user_id, method, created_at);
create index flows_expired on flows (expires_at);
create index flows_by_linking_user on flows (linking_user_id) where linking_user_id is not null;

-- Second factors: authenticators, and at most one set of recovery codes. No secret is stored: an authenticator's is
-- derived from a signing key and the factor's id.
create table factors (
    id uuid primary key,
    user_id uuid not null references users (id),
    kind text not null check (kind in ('totp', 'recovery_code')),
    friendly_name text not null,
    status text not null check (status in ('unverified', 'verified')),
    key_id text,
    -- Last time step used: each code works once.
    last_step bigint,
    last_challenged_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (user_id, friendly_name)
);

create table factor_challenges (
    id uuid primary key,
    factor_id uuid not null references factors (id) on delete cascade,
    address text,
    attempts bigint not null default 0,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    verified_at timestamptz
);
create index factor_challenges_by_factor on factor_challenges (factor_id);
create index factor_challenges_expired on factor_challenges (expires_at);

create table recovery_codes (
    id uuid primary key,
    user_id uuid not null references users (id),
    code_hash text not null,
    created_at timestamptz not null,
    used_at timestamptz
);
create index recovery_codes_by_user on recovery_codes (user_id);

-- Login throttling: failures by hash of account and of address; the delay grows with each.
create table failures (
    key text primary key,
    failures bigint not null,
    last_at timestamptz not null
);
create index failures_old on failures (last_at);

-- Cooldown of authentication mails, by hash of kind and address, for known and unknown addresses alike.
create table mail_gaps (
    key text primary key,
    asked_at timestamptz not null
);
create index mail_gaps_old on mail_gaps (asked_at);

-- Document requests to clients.
create table document_requests (
    id uuid primary key,
    spv_id uuid not null references spvs (id),
    client_id uuid not null references users (id),
    step_id uuid references spv_steps (id) on delete set null,
    name text not null,
    instructions text,
    required boolean not null default true,
    due_date date,
    status text not null check (status in ('requested', 'submitted', 'approved', 'needs_revision', 'waived')),
    reason text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1,
    -- Days of the reminders, as of steps.
    warned_date date,
    reminded_date date
);
create index document_requests_by_spv on document_requests (spv_id, created_at, id);
create index document_requests_by_step on document_requests (step_id) where step_id is not null;
-- Open document requests of clients, and those awaiting review.
create index document_requests_due on document_requests (due_date, id) where status in ('requested', 'needs_revision');
create index document_requests_submitted on document_requests (updated_at, id) where status = 'submitted';
create index document_requests_to_remind on document_requests (reminded_date, due_date, id) where status in ('requested', 'needs_revision') and reminded_date is null;

-- Documents. The content is in document_versions; the newest has the number versions_count.
create table documents (
    id uuid primary key,
    name text not null,
    client_id uuid not null references users (id),
    spv_id uuid references spvs (id),
    request_id uuid unique references document_requests (id),
    versions_count bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1,
    -- Visible to staff only.
    internal boolean not null default false
);
create index documents_newest on documents (updated_at, id);
create index documents_by_client on documents (client_id, updated_at, id);
create index documents_by_spv on documents (spv_id, updated_at, id);

create table document_versions (
    id uuid primary key,
    document_id uuid not null references documents (id),
    number bigint not null,
    file_name text not null,
    media_type text not null,
    bytes bigint not null,
    sha256 text not null,
    -- Generated key, independent of user input. A restored version shares the older one's content.
    storage_key text not null,
    scan text not null check (scan in ('not_scanned', 'waiting', 'clean', 'infected')),
    uploaded_by_id uuid references users (id),
    uploaded_by text not null,
    restored_from bigint,
    created_at timestamptz not null,
    unique (document_id, number)
);
create index document_versions_by_content on document_versions (storage_key);
create index document_versions_unscanned on document_versions (created_at, id) where scan in ('not_scanned', 'waiting');

-- Resumable uploads, until the content becomes a document version.
create table uploads (
    id uuid primary key,
    user_id uuid references users (id),
    client_id uuid not null references users (id),
    spv_id uuid references spvs (id),
    document_id uuid references documents (id),
    request_id uuid references document_requests (id),
    file_name text not null,
    bytes bigint not null,
    received bigint not null default 0,
    version_id uuid references document_versions (id),
    created_at timestamptz not null,
    touched_at timestamptz not null,
    -- The document will be attached to a message or request, whose event reports it.
    attach boolean not null default false
);
create index uploads_by_user on uploads (user_id) where version_id is null;
create index uploads_old on uploads (touched_at);

create table upload_parts (
    upload_id uuid not null references uploads (id) on delete cascade,
    begins bigint not null,
    bytes bigint not null,
    storage_key text not null,
    primary key (upload_id, begins)
);

-- Threads: one per order and one general per client. Internal notes are messages too; what the client may see of a
-- thread has columns of its own.
create table threads (
    id uuid primary key,
    client_id uuid not null references users (id),
    spv_id uuid unique references spvs (id),
    last_message_id uuid,
    last_at timestamptz not null,
    last_public_message_id uuid,
    last_public_at timestamptz,
    created_at timestamptz not null
);
create unique index threads_general on threads (client_id) where spv_id is null;
create index threads_newest on threads (last_at, id);
create index threads_by_client on threads (client_id, last_public_at, id);

create table messages (
    id uuid primary key,
    thread_id uuid not null references threads (id),
    author_id uuid references users (id),
    author_name text not null,
    by_staff boolean not null,
    body text not null,
    internal boolean not null,
    created_at timestamptz not null
);
create index messages_by_thread on messages (thread_id, created_at, id);
create index messages_public on messages (thread_id, created_at, id) where not internal;

-- Unread messages per person and thread; no row when all are read.
create table thread_unread (
    user_id uuid not null references users (id),
    thread_id uuid not null references threads (id),
    unread bigint not null,
    primary key (user_id, thread_id)
);

-- Notifications: one row per person and activity.
create table notifications (
    id uuid primary key,
    user_id uuid not null references users (id),
    seq bigint not null,
    activity_id uuid not null references activity (id),
    topic text not null,
    subject_id uuid,
    spv_id uuid,
    in_app boolean not null,
    -- Mail delivery: 'now', 'daily', or null for none.
    mail text check (mail in ('now', 'daily')),
    created_at timestamptz not null,
    read_at timestamptz,
    unique (user_id, seq)
);
create index notifications_unread on notifications (user_id, seq) where read_at is null and in_app;
create index notifications_to_mail on notifications (mail, user_id, created_at) where mail is not null;
create index notifications_by_subject on notifications (user_id, subject_id) where read_at is null;
create index notifications_by_activity on notifications (activity_id);

-- High-water mark: the last activity number that was turned into notifications.
create table notified (
    one bigint primary key check (one = 1),
    seq bigint not null
);

-- Notification preferences by topic, where they differ from the role's default.
create table notification_choices (
    user_id uuid not null references users (id),
    topic text not null,
    in_app boolean not null,
    mail text not null check (mail in ('now', 'daily', 'off')),
    primary key (user_id, topic)
);

-- Day of the last digest, in the person's time zone.
create table digests (
    user_id uuid primary key references users (id),
    sent_date date not null
);

-- Invoice numbers: one row a year, locked until the transaction commits, so that numbers have no gaps.
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
    -- Name and address as printed; later changes of the client do not affect it.
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
    warned_date date,
    reminded_date date,
    unique (year, number)
);
create index invoices_by_status on invoices (status, year, number);
create index invoices_by_client on invoices (client_id, year, number);
create index invoices_by_client_status on invoices (client_id, status, year, number);
create index invoices_by_spv on invoices (spv_id, year, number);
-- Covering index for amounts owed.
create index invoices_owed on invoices (status, client_id, currency, due_date, total_minor, paid_minor);
create index invoices_due on invoices (due_date, id) where status in ('due', 'part_paid');
create index invoices_to_remind on invoices (reminded_date, due_date, id) where status in ('due', 'part_paid') and reminded_date is null;

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
    -- Payment method; 'manual' is a bank transfer recorded by staff.
    way text not null,
    amount_minor bigint not null,
    received_date date not null,
    note text,
    recorded_by text not null,
    created_at timestamptz not null
);
create index invoice_payments_by_invoice on invoice_payments (invoice_id, created_at, id);

-- Payment receipts uploaded by clients.
create table invoice_receipts (
    id uuid primary key,
    invoice_id uuid not null references invoices (id),
    document_id uuid not null,
    sent_by text not null,
    created_at timestamptz not null,
    unique (invoice_id, document_id)
);

-- Dependencies between the steps of an order.
create table step_dependencies (
    spv_id uuid not null references spvs (id),
    step_id uuid not null references spv_steps (id) on delete cascade,
    depends_on uuid not null references spv_steps (id) on delete cascade,
    primary key (spv_id, step_id, depends_on)
);
create index step_dependencies_by_step on step_dependencies (step_id);
create index step_dependencies_by_need on step_dependencies (depends_on);

create table template_documents (
    country text not null references templates (country),
    step_order bigint not null,
    nth bigint not null,
    name text not null,
    instructions text,
    required boolean not null,
    primary key (country, step_order, nth)
);

-- Attachments of messages.
create table message_documents (
    message_id uuid not null references messages (id),
    document_id uuid not null references documents (id),
    primary key (message_id, document_id)
);
-- Attachments by document.
create index message_documents_by_document on message_documents (document_id);

create table request_documents (
    request_id uuid not null references requests (id),
    document_id uuid not null references documents (id),
    primary key (request_id, document_id)
);

-- Payout run numbers: one row a year, locked until the transaction commits.
create table payout_numbers (
    year bigint primary key,
    last bigint not null
);

-- Payout runs: approved commissions paid at one time.
create table payout_runs (
    id uuid primary key,
    year bigint not null,
    number bigint not null,
    status text not null check (status in ('open', 'paid', 'discarded')),
    created_at timestamptz not null,
    created_by text not null,
    paid_date date,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1,
    unique (year, number)
);

-- Payouts: one transfer per ISO partner and currency of a run.
create table payouts (
    id uuid primary key,
    run_id uuid not null references payout_runs (id),
    iso_id uuid not null references isos (id),
    currency text not null,
    amount_minor bigint not null,
    entries bigint not null,
    unique (run_id, iso_id, currency)
);

-- Commission ledger: a row when an order closes, a negative one when it is reversed. Amounts never change; paid rows
-- do not change at all.
create table commissions (
    id uuid primary key,
    iso_id uuid not null references isos (id),
    company_id uuid not null references companies (id),
    spv_id uuid not null references spvs (id),
    client_id uuid not null references users (id),
    kind text not null check (kind in ('earned', 'reversed')),
    -- The rule applied: a fixed amount, or a rate (ten-thousandths of a percent) of a base.
    rule text not null check (rule in ('fixed', 'percent')),
    rate bigint,
    base_minor bigint,
    currency text not null,
    amount_minor bigint not null,
    status text not null check (status in ('pending', 'approved', 'paid', 'void')),
    earned_date date not null,
    paid_date date,
    reason text,
    payout_id uuid references payouts (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create index commissions_newest on commissions (earned_date, created_at, id);
create index commissions_by_status on commissions (status, earned_date, created_at, id);
create index commissions_by_iso on commissions (iso_id, earned_date, created_at, id);
create index commissions_by_company on commissions (company_id, earned_date, created_at, id);
create index commissions_by_spv on commissions (spv_id, status, amount_minor);
create index commissions_by_payout on commissions (payout_id) where payout_id is not null;
-- Covering indexes for the sums on cards.
create index commissions_sums on commissions (iso_id, earned_date, currency, status, amount_minor);
create index commissions_due on commissions (iso_id, currency) where status = 'approved' and payout_id is null;
create index commissions_paid on commissions (iso_id) where status = 'paid';

-- Leads of ISO partners. The first to bring a person is protected for a time.
create table leads (
    id uuid primary key,
    iso_id uuid not null references isos (id),
    company_id uuid not null references companies (id),
    first_name text not null,
    last_name text not null,
    email text not null,
    email_key text not null,
    phone text,
    -- The digits of the phone number.
    phone_key text,
    organisation text,
    note text,
    stage text not null check (stage in ('new', 'contacted', 'qualified', 'won', 'lost')),
    next_step text,
    next_step_date date,
    protected_until date not null,
    client_id uuid references users (id),
    spv_id uuid references spvs (id),
    converted_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create index leads_newest on leads (created_at, id);
create index leads_by_stage on leads (stage, created_at, id);
create index leads_by_iso on leads (iso_id, created_at, id);
create index leads_by_iso_stage on leads (iso_id, stage, created_at, id);
create index leads_by_email on leads (email_key);
create index leads_by_phone on leads (phone_key) where phone_key is not null;
-- Leads and calls of ISO partners also appear on the request desk.
alter table requests add column lead_id uuid references leads (id);
create unique index requests_by_lead on requests (lead_id) where lead_id is not null;

-- Private notes of ISO partners on clients.
create table iso_notes (
    id uuid primary key,
    iso_id uuid not null references isos (id),
    client_id uuid not null references users (id),
    body text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version bigint not null default 1
);
create index iso_notes_by_client on iso_notes (iso_id, client_id, created_at, id);
create index iso_notes_by_iso on iso_notes (iso_id, created_at, id);

-- Calls requested by ISO partners.
create table calls (
    id uuid primary key,
    iso_id uuid not null references isos (id),
    topic text not null,
    note text,
    minutes bigint not null,
    -- Proposed times, as JSON.
    proposed jsonb not null,
    status text not null check (status in ('requested', 'confirmed', 'declined', 'cancelled')),
    begins_at timestamptz,
    -- Dial-in details, or the reason for declining.
    answer text,
    answered_by text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create index calls_newest on calls (created_at, id);
create index calls_by_status on calls (status, created_at, id);
create index calls_by_iso on calls (iso_id, created_at, id);
alter table requests add column call_id uuid references calls (id);
create unique index requests_by_call on requests (call_id) where call_id is not null;

-- Logos of companies: the image, checked and limited in size; replaced in place.
create table company_logos (
    id uuid primary key,
    company_id uuid not null unique references companies (id),
    media_type text not null,
    bytes bytea not null,
    created_at timestamptz not null
);

create table report_schedules (
    id uuid primary key,
    company_id uuid not null references companies (id) on delete cascade,
    report text not null check (report in ('portfolio', 'commissions', 'step_times')),
    -- Reporting period.
    period text not null,
    every text not null check (every in ('weekly', 'monthly')),
    -- Next day on which it is mailed.
    next_date date not null,
    last_sent_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    version bigint not null default 1
);
create index report_schedules_by_company on report_schedules (company_id, created_at, id);
create index report_schedules_due on report_schedules (next_date, id);

create table report_recipients (
    schedule_id uuid not null references report_schedules (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    primary key (schedule_id, user_id)
);
create index report_recipients_by_user on report_recipients (user_id);

-- Impersonations (read-only) by super admins. They end with the session they were started from.
create table impersonations (
    id uuid primary key,
    user_id uuid not null references users (id),
    admin_id uuid not null references users (id),
    session_id uuid not null references sessions (id) on delete cascade,
    reason text not null,
    started_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz
);
create index impersonations_by_session on impersonations (session_id);

-- IP blocklist.
create table address_blocks (
    id uuid primary key,
    -- Address or network: 203.0.113.7 or 203.0.113.0/24.
    network text not null unique,
    reason text,
    created_at timestamptz not null,
    created_by text not null
);

-- Where retention has cut the log: the last deleted number and its hash, at which the chain begins. Only moves
-- forward.
create table activity_checkpoint (
    one bigint primary key check (one = 1),
    seq bigint not null,
    hash text not null
);

-- Health checks: the last result of each probe.
create table probes (
    name text primary key,
    ok boolean not null,
    latency_ms bigint,
    detail text,
    -- Consecutive failures.
    failures bigint not null default 0,
    last_error text,
    last_error_at timestamptz,
    checked_at timestamptz not null
);

-- Operator alerts; at most one open per kind and subject.
create table alerts (
    id uuid primary key,
    kind text not null,
    subject text not null,
    data jsonb not null,
    opened_at timestamptz not null,
    -- Last occurrence.
    seen_at timestamptz not null,
    resolved_at timestamptz,
    -- Null: resolved by itself.
    resolved_by text
);
create unique index alerts_open on alerts (kind, subject) where resolved_at is null;
create index alerts_newest on alerts (opened_at, id);
create index alerts_of_subject on alerts (kind, subject, resolved_at);

-- Requested security scans.
create table scans (
    id uuid primary key,
    asked_at timestamptz not null,
    asked_by text not null,
    finished_at timestamptz,
    -- Error of a failed scan.
    error text,
    findings jsonb not null
);
create index scans_newest on scans (asked_at, id);

-- The office's logo, for its pages and for mails to people without a company logo.
create table office_logos (
    id uuid primary key,
    media_type text not null,
    bytes bytea not null,
    created_at timestamptz not null
);

-- Rollup of a company's orders by ISO partner (nil id: none) and currency, updated in the transaction that changes an
-- order; slots as in `counts`.
create table company_figures (
    company_id uuid not null references companies (id),
    iso_id uuid not null,
    currency text not null,
    slot bigint not null,
    spvs bigint not null,
    minor bigint not null,
    -- How many of the orders are cancelled: cards leave them out (decision 14).
    cancelled bigint not null default 0,
    primary key (company_id, iso_id, currency, slot)
);

-- Clients with an order of the company.
create table company_clients (
    company_id uuid not null references companies (id),
    client_id uuid not null references users (id),
    -- When they became a client, for the order of the company's list.
    client_created_at timestamptz not null default '1970-01-01T00:00:00+00:00',
    spvs bigint not null default 1,
    primary key (company_id, client_id)
);
create index company_clients_newest on company_clients (company_id, client_created_at, client_id);

-- Requested backups. The contents are listed in the backup's folder.
create table backups (
    id uuid primary key,
    -- Name of the backup's folder.
    name text not null unique,
    state text not null check (state in ('queued', 'running', 'done', 'failed')),
    asked_at timestamptz not null,
    asked_by text not null,
    -- The instant whose data it holds.
    made_at timestamptz,
    finished_at timestamptz,
    rows_count bigint not null default 0,
    documents_count bigint not null default 0,
    -- How many of the files could not be read.
    documents_missing bigint not null default 0,
    bytes bigint not null default 0,
    -- Error of a failed backup.
    error text,
    -- Folder of the backup when it was started.
    folder text
);
create index backups_newest on backups (asked_at, id);
create index backups_good on backups (made_at) where state = 'done';
create index backups_going_on on backups (asked_at) where state in ('queued', 'running');

-- Rollups of amounts and counts by owner and period, for finances and dashboards; updated in the transaction that
-- changes what they sum.
create table figures (
    -- A company, an ISO partner, or the nil id for the office.
    owner_id uuid not null,
    -- `day`, `month`, or `now` for figures without a date.
    grain text not null,
    -- `2026-11-22`, `2026-11`, or empty.
    period text not null,
    what text not null,
    -- Nil id: without an ISO partner.
    iso_id uuid not null,
    country text not null,
    currency text not null,
    n bigint not null,
    minor bigint not null,
    primary key (owner_id, grain, period, what, iso_id, country, currency)
);

-- Failed sign-ins per network and second, for the alert on attacks; the log records only a sample of them.
create table sign_in_failures (
    at timestamptz not null,
    place text not null,
    failures bigint not null,
    primary key (at, place)
);

-- Rollup of the commissions that open orders of ISO partners will earn when they close.
create table expected_commissions (
    iso_id uuid not null references isos (id),
    company_id uuid not null references companies (id),
    currency text not null,
    minor bigint not null,
    primary key (iso_id, company_id, currency)
);
create index expected_commissions_by_company on expected_commissions (company_id);

-- Number of clients with an order of a company, kept by triggers of company_clients; slots as in `counts`, by a byte
-- of the client's id.
create table company_client_counts (
    company_id uuid not null references companies (id),
    slot bigint not null,
    clients bigint not null,
    primary key (company_id, slot)
);

-- Notification preferences by event, where they differ from the topic's.
create table notification_event_choices (
    user_id uuid not null references users (id),
    -- Topic and action: `tasks.step.assigned`.
    event text not null,
    in_app boolean not null,
    mail text not null check (mail in ('now', 'daily', 'off')),
    primary key (user_id, event)
);

-- Links of List-Unsubscribe headers, one per delivery attempt; only hashes are stored.
create table unsubscribe_links (
    token_hash text not null primary key,
    mail_id uuid not null references mails (id) on delete cascade
);
create index unsubscribe_links_by_mail on unsubscribe_links (mail_id);

create table search_rows (
    id bigserial primary key,
    kind text not null,
    subject_id uuid not null unique,
    words text not null
);
create index search_rows_newest on search_rows (kind, id);
create index search_rows_words on search_rows using gin (array_to_tsvector(string_to_array(btrim(words), ' ')))
    with (gin_pending_list_limit = 256);

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

insert into activity_head (one, seq, hash) values (1, 0, '');

insert into notified (one, seq) values (1, 0);

insert into activity_checkpoint (one, seq, hash) values (1, 0, '');

create function refuse_activity_change() returns trigger language plpgsql as $$
begin
    raise exception 'a numbered activity row never changes, and none is deleted beyond the checkpoint';
end
$$;

create function refuse_activity_delete() returns trigger language plpgsql as $$
begin
    if old.seq is null or old.seq > coalesce((select seq from activity_checkpoint), 0) then
        raise exception 'activity rows are deleted up to the checkpoint only';
    end if;
    return old;
end
$$;

create function check_activity_checkpoint() returns trigger language plpgsql as $$
begin
    if tg_op <> 'UPDATE' or new.seq <= old.seq
        or not exists (select 1 from activity where seq = new.seq and hash = new.hash) then
        raise exception 'the checkpoint moves on to a row that is there';
    end if;
    return new;
end
$$;

-- A row comes without a number, and its number lies between the checkpoint and the head.
create function check_activity_number() returns trigger language plpgsql as $$
begin
    if new.seq <= coalesce((select seq from activity_checkpoint), 0)
        or new.seq > coalesce((select seq from activity_head), 0) then
        raise exception 'an activity row is numbered in its turn';
    end if;
    return new;
end
$$;

create function check_activity_head() returns trigger language plpgsql as $$
begin
    if tg_op <> 'UPDATE' or new.seq <= old.seq then
        raise exception 'the head of the log only moves on';
    end if;
    return new;
end
$$;

-- One statement changes each count once, however many rows it wrote.
create function count_company_clients() returns trigger language plpgsql as $$
begin
    insert into company_client_counts (company_id, slot, clients)
    select company_id, get_byte(uuid_send(client_id), 0) % 16, count(*) * cast(tg_argv[0] as bigint)
    from changed where spvs > 0 group by 1, 2 order by 1, 2
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + excluded.clients;
    return null;
end
$$;

create function count_company_client_change() returns trigger language plpgsql as $$
begin
    insert into company_client_counts (company_id, slot, clients)
    values (new.company_id, get_byte(uuid_send(new.client_id), 0) % 16, case when new.spvs > 0 then 1 else -1 end)
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + excluded.clients;
    return null;
end
$$;

create trigger activity_is_not_emptied before truncate on activity
    for each statement execute function refuse_activity_change();

create trigger activity_is_kept before delete on activity
    for each row execute function refuse_activity_delete();

create trigger activity_begins_unnumbered before insert on activity
    for each row when (new.seq is not null or new.hash is not null)
    execute function refuse_activity_change();

create trigger activity_is_numbered_in_order before update on activity
    for each row when (old.seq is null) execute function check_activity_number();

-- Numbering fills in a row's number and hash once; nothing else of a row ever changes. Said column by column: to make
-- two JSON documents of each row and compare them took half of what numbering costs. Replaced, not dropped and made
-- anew: nobody who reads meanwhile stands in the way, such as a backup, nor waits.
create trigger activity_is_append_only before update on activity
    for each row when (old.seq is not null or new.seq is null or new.hash is null
        or (old.id, old.nth, old.at, old.actor_kind, old.actor_id, old.actor_name, old.action, old.subject_kind,
            old.subject_id, old.subject_label, old.company_id, old.client_id, old.iso_id, old.spv_id, old.public,
            old.address, old.user_agent, old.data, old.quiet, old.subject_key, old.actor_key)
        is distinct from
            (new.id, new.nth, new.at, new.actor_kind, new.actor_id, new.actor_name, new.action, new.subject_kind,
            new.subject_id, new.subject_label, new.company_id, new.client_id, new.iso_id, new.spv_id, new.public,
            new.address, new.user_agent, new.data, new.quiet, new.subject_key, new.actor_key))
    execute function refuse_activity_change();

create trigger activity_head_moves_on before update or delete on activity_head
    for each row execute function check_activity_head();

create trigger activity_head_is_kept before truncate on activity_head
    for each statement execute function refuse_activity_change();

create trigger activity_checkpoint_moves_on before update or delete on activity_checkpoint
    for each row execute function check_activity_checkpoint();

create trigger activity_checkpoint_is_kept before truncate on activity_checkpoint
    for each statement execute function refuse_activity_change();

-- Each trigger waits until nobody is in the middle of a change: what is filled in below misses nothing.
create trigger company_clients_came after insert on company_clients
    referencing new table as changed for each statement execute function count_company_clients('1');

create trigger company_clients_went after delete on company_clients
    referencing old table as changed for each statement execute function count_company_clients('-1');

create trigger company_clients_changed after update of spvs on company_clients
    for each row when ((old.spvs > 0) is distinct from (new.spvs > 0)) execute function count_company_client_change();
