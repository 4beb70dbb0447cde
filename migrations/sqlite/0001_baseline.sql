-- The schema of 0.1.0 on SQLite. Types and rules: ../README.md.

-- Companies: whose orders the office forms.
create table companies (
    id blob primary key,
    name text not null,
    business_name text not null,
    email text,
    phone text,
    logo_url text,
    domain text,
    archived_at text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1,
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
    logo_id blob,
    -- The name as it is compared for uniqueness (text::unique_key).
    name_key text
) strict;
create index companies_by_name on companies (name, id);
create unique index companies_by_key on companies (name_key) where archived_at is null;
create index companies_by_any_key on companies (name_key);

create table users (
    id blob primary key,
    email text not null,
    email_key text not null unique,
    role text not null check (role in ('client', 'iso', 'employee', 'company_admin', 'super_admin')),
    status text not null check (status in ('pending', 'active', 'suspended', 'archived')),
    first_name text not null,
    last_name text not null,
    phone text,
    address text,
    company_id blob references companies (id),
    iso_id blob,
    password_hash text,
    must_change_password integer not null default 0,
    language text not null,
    time_zone text not null,
    last_sign_in_at text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1,
    -- User metadata of the auth protocol, written by the user; never used for authorisation.
    metadata text not null default '{}',
    -- App metadata of the auth protocol, written by an admin; never used for authorisation.
    app_metadata text not null default '{}',
    -- Pending change of address, and the confirmation received so far: 'current' or 'new'.
    new_email text,
    new_email_key text,
    new_email_confirmed text,
    -- Banned until then through the auth protocol.
    banned_until text,
    -- Signed up, and the address is not confirmed yet: the account opens by the link, not by its password.
    awaits_confirmation integer not null default 0,
    -- Signed up by itself: the password was chosen before the address was confirmed.
    self_made integer not null default 0,
    -- When each kind of authentication mail was last requested (rate limit).
    confirmation_sent_at text,
    recovery_sent_at text,
    email_change_sent_at text,
    reauthentication_sent_at text,
    invited_at text,
    -- Profile. `company` is free text (decision 35).
    company text,
    job_title text,
    dob text,
    street_address text,
    city text,
    state text,
    zip_code text,
    country text,
    -- Display preferences.
    theme text not null default 'auto',
    date_format text not null default 'auto',
    -- False: mails use the company's language.
    language_chosen integer not null default 0,
    -- Archived by the company, which may restore it; false for accounts that the office archived.
    removed_by_company integer not null default 0,
    -- Last sign-in or token refresh.
    last_active_at text,
    -- The status that a suspended or archived account is restored to.
    status_before text check (status_before in ('pending', 'active'))
) strict;
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
create index users_by_activity on users (last_active_at desc, id desc);
create index users_by_name on users (first_name, last_name, id);
create index users_by_company_state on users (company_id, status);
create index users_of_company_by_name on users (company_id, first_name, last_name, id);
create index users_of_iso_by_name on users (iso_id, first_name, last_name, id);

create table isos (
    id blob primary key,
    user_id blob not null unique references users (id),
    first_name text not null,
    last_name text not null,
    email text not null,
    phone text,
    company_id blob not null references companies (id),
    archived_at text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1
) strict;
create index isos_by_name on isos (first_name, last_name, id);
create index isos_by_company on isos (company_id, first_name, last_name, id);

-- Templates: the formation steps of a country, copied into each new order.
create table templates (
    country text primary key,
    name text not null,
    updated_at text not null,
    -- Version for optimistic locking, and the last editor.
    version integer not null default 1,
    updated_by text
) strict;

create table template_steps (
    country text not null references templates (country),
    step_order integer not null,
    step_name text not null,
    owner text not null check (owner in ('staff', 'client', 'iso', 'authority')),
    business_days integer not null,
    completes_with_documents integer not null default 0,
    -- JSON list of the step orders that must be completed first.
    depends_on text not null default '[]',
    primary key (country, step_order)
) strict;

-- Orders. Amounts are minor units of `currency`; a percentage is in ten-thousandths of a percent.
create table spvs (
    id blob primary key,
    client_id blob not null references users (id),
    company_id blob not null references companies (id),
    iso_id blob references isos (id),
    custom_identifier text,
    custom_identifier_key text,
    country text not null,
    currency text not null,
    price_minor integer,
    commission_minor integer,
    purchase_amount_minor integer,
    iso_commission_percentage integer,
    iso_commission_minor integer,
    status text not null check (status in ('pending', 'active', 'processing', 'on_hold', 'closed', 'cancelled')),
    held_from text,
    cancelled_from text,
    status_reason text,
    ordered_date text not null,
    closed_at text,
    steps_total integer not null default 0,
    steps_completed integer not null default 0,
    steps_pending integer not null default 0,
    current_step text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1
) strict;
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
    id blob primary key,
    spv_id blob not null references spvs (id),
    step_order integer not null,
    step_name text not null,
    status text not null check (status in ('pending', 'in_progress', 'completed', 'blocked')),
    owner text not null check (owner in ('staff', 'client', 'iso', 'authority')),
    text_data text,
    document_url text,
    completed_at text,
    due_date text,
    reminded_date text,
    blocked_reason text,
    waiting_on text check (waiting_on in ('staff', 'client', 'iso', 'authority', 'other')),
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1,
    -- Completes the step once its last required document is approved or waived.
    completes_with_documents integer not null default 0,
    -- Days of the reminders: warned_date before the due date, reminded_date after it.
    warned_date text,
    -- The staff member responsible.
    assignee_id blob references users (id)
) strict;
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
    slot integer not null,
    value integer not null,
    primary key (name, slot)
) strict;

-- Sessions of sign-ins.
create table sessions (
    id blob primary key,
    user_id blob not null references users (id),
    aal text not null,
    amr text not null,
    refresh_counter integer not null,
    refreshed_at text not null,
    created_at text not null,
    ended_at text,
    user_agent text,
    address text,
    -- The second factor that raised the session to aal2.
    factor_id blob,
    -- Refresh tokens issued before the second factor was verified are invalid.
    raised_counter integer not null default 0
) strict;
create index sessions_by_user on sessions (user_id, created_at) where ended_at is null;
create index sessions_live on sessions (refreshed_at) where ended_at is null;
create index sessions_ended on sessions (ended_at) where ended_at is not null;

-- Outbox of mails. The text is rendered when a mail is sent; `data` holds no secrets.
create table mails (
    id blob primary key,
    kind text not null,
    -- Null: a recipient without an account.
    user_id blob references users (id),
    spv_id blob references spvs (id),
    to_email text not null,
    to_name text not null,
    language text not null,
    data text not null,
    message_id text not null unique,
    status text not null check (status in ('queued', 'sent', 'failed')),
    attempts integer not null default 0,
    last_error text,
    created_at text not null,
    sent_at text,
    -- Overrides the account's address, for confirming a new one.
    link_kind text,
    flow_id blob,
    -- When delivery failed for good; staff see it beside the address.
    failed_at text
) strict;
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
    created_id blob not null,
    created_at text not null,
    primary key (actor, key)
) strict;
create index idempotency_keys_old on idempotency_keys (created_at);

create table requests (
    id blob primary key,
    kind text not null,
    status text not null check (status in ('pending', 'in_review', 'approved', 'rejected', 'withdrawn')),
    user_id blob references users (id),
    iso_id blob references isos (id),
    name text not null,
    email text not null,
    message text not null,
    data text not null,
    address text,
    created_at text not null,
    version integer not null default 1,
    -- Outcome: the order it was accepted as, or the reason it was declined.
    spv_id blob references spvs (id),
    reason text,
    decided_at text,
    decided_by text,
    -- Language of answers to a requester without an account.
    language text,
    -- Request desk: priority, assignee, due time, resulting record.
    priority text not null default 'medium' check (priority in ('high', 'medium', 'low')),
    assignee_id blob references users (id),
    due_at text,
    updated_at text,
    updated_by text,
    -- The record created by approving it: client, ISO partner, company or staff account.
    made_kind text check (made_kind in ('client', 'iso', 'company', 'user')),
    made_id blob,
    email_key text
) strict;
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
    value text not null,
    updated_at text not null,
    updated_by text not null
) strict;

-- Heartbeats: one row per minute in which a worker was alive, for the uptime figure.
create table heartbeats (
    minute integer primary key
) strict;

-- Activity log (audit log). A transaction appends rows without a number; the sequencer numbers committed rows and
-- chains their hashes. A numbered row never changes.
create table activity (
    id blob primary key,
    seq integer unique,
    hash text,
    -- Position among the events of one transaction, which may share a timestamp.
    nth integer not null,
    at text not null,
    actor_kind text not null,
    actor_id blob,
    actor_name text not null,
    action text not null,
    subject_kind text not null,
    subject_id blob,
    subject_label text not null,
    company_id blob,
    client_id blob,
    iso_id blob,
    spv_id blob,
    public integer not null,
    address text,
    user_agent text,
    data text not null,
    -- No notifications: written by a seed or an import.
    quiet integer not null default 0,
    -- Folded texts for searching the log (text::search_fold).
    subject_key text,
    actor_key text
) strict;
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
    one integer primary key check (one = 1),
    seq integer not null,
    hash text not null
) strict;

-- Single-use links and codes of authentication mails; only hashes are stored.
create table links (
    id blob primary key,
    user_id blob not null references users (id),
    kind text not null check (kind in ('recovery', 'invite', 'signup', 'magiclink',
    'email_change_current', 'email_change_new', 'reauthentication')),
    token_hash text not null unique,
    code_hash text not null,
    attempts integer not null default 0,
    created_at text not null,
    expires_at text not null,
    used_at text,
    -- The PKCE flow that requested the link.
    flow_id blob
) strict;
create index links_by_user on links (user_id, kind, created_at);
create index links_expired on links (expires_at);

-- Identities at OpenID providers. The email identity is the account itself.
create table identities (
    id blob primary key,
    user_id blob not null references users (id),
    provider text not null,
    provider_id text not null,
    email text not null,
    data text not null,
    last_sign_in_at text,
    created_at text not null,
    updated_at text not null,
    unique (provider, provider_id)
) strict;
create index identities_by_user on identities (user_id, created_at);

-- PKCE flows: sign-ins through a mail link or an OpenID provider.
create table flows (
    id blob primary key,
    user_id blob references users (id),
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
    linking_user_id blob references users (id),
    -- The provider's answer, until the flow's code is exchanged.
    arrival text,
    created_at text not null,
    expires_at text not null,
    code_issued_at text,
    used_at text,
    -- The session that is linking a provider. Not a foreign key: the session may have been deleted.
    linking_session_id blob,
    -- Provider tokens, encrypted under the authorisation code; the database holds only the code's hash.
    provider_tokens text
) strict;
create index flows_by_user on flows (user_id, method, created_at);
create index flows_expired on flows (expires_at);
create index flows_by_linking_user on flows (linking_user_id) where linking_user_id is not null;

-- Second factors: authenticators, and at most one set of recovery codes. No secret is stored: an authenticator's is
-- derived from a signing key and the factor's id.
create table factors (
    id blob primary key,
    user_id blob not null references users (id),
    kind text not null check (kind in ('totp', 'recovery_code')),
    friendly_name text not null,
    status text not null check (status in ('unverified', 'verified')),
    key_id text,
    -- Last time step used: each code works once.
    last_step integer,
    last_challenged_at text,
    created_at text not null,
    updated_at text not null,
    unique (user_id, friendly_name)
) strict;

create table factor_challenges (
    id blob primary key,
    factor_id blob not null references factors (id) on delete cascade,
    address text,
    attempts integer not null default 0,
    created_at text not null,
    expires_at text not null,
    verified_at text
) strict;
create index factor_challenges_by_factor on factor_challenges (factor_id);
create index factor_challenges_expired on factor_challenges (expires_at);

create table recovery_codes (
    id blob primary key,
    user_id blob not null references users (id),
    code_hash text not null,
    created_at text not null,
    used_at text
) strict;
create index recovery_codes_by_user on recovery_codes (user_id);

-- Login throttling: failures by hash of account and of address; the delay grows with each.
create table failures (
    key text primary key,
    failures integer not null,
    last_at text not null
) strict;
create index failures_old on failures (last_at);

-- Cooldown of authentication mails, by hash of kind and address, for known and unknown addresses alike.
create table mail_gaps (
    key text primary key,
    asked_at text not null
) strict;
create index mail_gaps_old on mail_gaps (asked_at);

-- Document requests to clients.
create table document_requests (
    id blob primary key,
    spv_id blob not null references spvs (id),
    client_id blob not null references users (id),
    step_id blob references spv_steps (id) on delete set null,
    name text not null,
    instructions text,
    required integer not null default 1,
    due_date text,
    status text not null check (status in ('requested', 'submitted', 'approved', 'needs_revision', 'waived')),
    reason text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1,
    -- Days of the reminders, as of steps.
    warned_date text,
    reminded_date text
) strict;
create index document_requests_by_spv on document_requests (spv_id, created_at, id);
create index document_requests_by_step on document_requests (step_id) where step_id is not null;
-- Open document requests of clients, and those awaiting review.
create index document_requests_due on document_requests (due_date, id) where status in ('requested', 'needs_revision');
create index document_requests_submitted on document_requests (updated_at, id) where status = 'submitted';
create index document_requests_to_remind on document_requests (reminded_date, due_date, id) where status in ('requested', 'needs_revision') and reminded_date is null;

-- Documents. The content is in document_versions; the newest has the number versions_count.
create table documents (
    id blob primary key,
    name text not null,
    client_id blob not null references users (id),
    spv_id blob references spvs (id),
    request_id blob unique references document_requests (id),
    versions_count integer not null,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1,
    -- Visible to staff only.
    internal integer not null default 0
) strict;
create index documents_newest on documents (updated_at, id);
create index documents_by_client on documents (client_id, updated_at, id);
create index documents_by_spv on documents (spv_id, updated_at, id);

create table document_versions (
    id blob primary key,
    document_id blob not null references documents (id),
    number integer not null,
    file_name text not null,
    media_type text not null,
    bytes integer not null,
    sha256 text not null,
    -- Generated key, independent of user input. A restored version shares the older one's content.
    storage_key text not null,
    scan text not null check (scan in ('not_scanned', 'waiting', 'clean', 'infected')),
    uploaded_by_id blob references users (id),
    uploaded_by text not null,
    restored_from integer,
    created_at text not null,
    unique (document_id, number)
) strict;
create index document_versions_by_content on document_versions (storage_key);
create index document_versions_unscanned on document_versions (created_at, id) where scan in ('not_scanned', 'waiting');

-- Resumable uploads, until the content becomes a document version.
create table uploads (
    id blob primary key,
    user_id blob references users (id),
    client_id blob not null references users (id),
    spv_id blob references spvs (id),
    document_id blob references documents (id),
    request_id blob references document_requests (id),
    file_name text not null,
    bytes integer not null,
    received integer not null default 0,
    version_id blob references document_versions (id),
    created_at text not null,
    touched_at text not null,
    -- The document will be attached to a message or request, whose event reports it.
    attach integer not null default 0
) strict;
create index uploads_by_user on uploads (user_id) where version_id is null;
create index uploads_old on uploads (touched_at);

create table upload_parts (
    upload_id blob not null references uploads (id) on delete cascade,
    begins integer not null,
    bytes integer not null,
    storage_key text not null,
    primary key (upload_id, begins)
) strict;

-- Threads: one per order and one general per client. Internal notes are messages too; what the client may see of a
-- thread has columns of its own.
create table threads (
    id blob primary key,
    client_id blob not null references users (id),
    spv_id blob unique references spvs (id),
    last_message_id blob,
    last_at text not null,
    last_public_message_id blob,
    last_public_at text,
    created_at text not null
) strict;
create unique index threads_general on threads (client_id) where spv_id is null;
create index threads_newest on threads (last_at, id);
create index threads_by_client on threads (client_id, last_public_at, id);

create table messages (
    id blob primary key,
    thread_id blob not null references threads (id),
    author_id blob references users (id),
    author_name text not null,
    by_staff integer not null,
    body text not null,
    internal integer not null,
    created_at text not null
) strict;
create index messages_by_thread on messages (thread_id, created_at, id);
create index messages_public on messages (thread_id, created_at, id) where not internal;

-- Unread messages per person and thread; no row when all are read.
create table thread_unread (
    user_id blob not null references users (id),
    thread_id blob not null references threads (id),
    unread integer not null,
    primary key (user_id, thread_id)
) strict;

-- Notifications: one row per person and activity.
create table notifications (
    id blob primary key,
    user_id blob not null references users (id),
    seq integer not null,
    activity_id blob not null references activity (id),
    topic text not null,
    subject_id blob,
    spv_id blob,
    in_app integer not null,
    -- Mail delivery: 'now', 'daily', or null for none.
    mail text check (mail in ('now', 'daily')),
    created_at text not null,
    read_at text,
    unique (user_id, seq)
) strict;
create index notifications_unread on notifications (user_id, seq) where read_at is null and in_app;
create index notifications_to_mail on notifications (mail, user_id, created_at) where mail is not null;
create index notifications_by_subject on notifications (user_id, subject_id) where read_at is null;
create index notifications_by_activity on notifications (activity_id);

-- High-water mark: the last activity number that was turned into notifications.
create table notified (
    one integer primary key check (one = 1),
    seq integer not null
) strict;

-- Notification preferences by topic, where they differ from the role's default.
create table notification_choices (
    user_id blob not null references users (id),
    topic text not null,
    in_app integer not null,
    mail text not null check (mail in ('now', 'daily', 'off')),
    primary key (user_id, topic)
) strict;

-- Day of the last digest, in the person's time zone.
create table digests (
    user_id blob primary key references users (id),
    sent_date text not null
) strict;

-- Invoice numbers: one row a year, locked until the transaction commits, so that numbers have no gaps.
create table invoice_numbers (
    year integer primary key,
    last integer not null
) strict;

create table invoices (
    id blob primary key,
    year integer not null,
    number integer not null,
    spv_id blob not null references spvs (id),
    client_id blob not null references users (id),
    -- Name and address as printed; later changes of the client do not affect it.
    billed_to text not null,
    billed_address text,
    currency text not null,
    total_minor integer not null,
    paid_minor integer not null default 0,
    status text not null check (status in ('due', 'part_paid', 'paid', 'void')),
    issued_date text not null,
    due_date text not null,
    void_reason text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1,
    warned_date text,
    reminded_date text,
    unique (year, number)
) strict;
create index invoices_by_status on invoices (status, year, number);
create index invoices_by_client on invoices (client_id, year, number);
create index invoices_by_client_status on invoices (client_id, status, year, number);
create index invoices_by_spv on invoices (spv_id, year, number);
-- Covering index for amounts owed.
create index invoices_owed on invoices (status, client_id, currency, due_date, total_minor, paid_minor);
create index invoices_due on invoices (due_date, id) where status in ('due', 'part_paid');
create index invoices_to_remind on invoices (reminded_date, due_date, id) where status in ('due', 'part_paid') and reminded_date is null;

create table invoice_lines (
    invoice_id blob not null references invoices (id),
    line_order integer not null,
    description text not null,
    amount_minor integer not null,
    primary key (invoice_id, line_order)
) strict;

create table invoice_payments (
    id blob primary key,
    invoice_id blob not null references invoices (id),
    -- Payment method; 'manual' is a bank transfer recorded by staff.
    way text not null,
    amount_minor integer not null,
    received_date text not null,
    note text,
    recorded_by text not null,
    created_at text not null
) strict;
create index invoice_payments_by_invoice on invoice_payments (invoice_id, created_at, id);

-- Payment receipts uploaded by clients.
create table invoice_receipts (
    id blob primary key,
    invoice_id blob not null references invoices (id),
    document_id blob not null,
    sent_by text not null,
    created_at text not null,
    unique (invoice_id, document_id)
) strict;

-- Dependencies between the steps of an order.
create table step_dependencies (
    spv_id blob not null references spvs (id),
    step_id blob not null references spv_steps (id) on delete cascade,
    depends_on blob not null references spv_steps (id) on delete cascade,
    primary key (spv_id, step_id, depends_on)
) strict;
create index step_dependencies_by_step on step_dependencies (step_id);
create index step_dependencies_by_need on step_dependencies (depends_on);

create table template_documents (
    country text not null references templates (country),
    step_order integer not null,
    nth integer not null,
    name text not null,
    instructions text,
    required integer not null,
    primary key (country, step_order, nth)
) strict;

-- Attachments of messages.
create table message_documents (
    message_id blob not null references messages (id),
    document_id blob not null references documents (id),
    primary key (message_id, document_id)
) strict;
-- Attachments by document.
create index message_documents_by_document on message_documents (document_id);

create table request_documents (
    request_id blob not null references requests (id),
    document_id blob not null references documents (id),
    primary key (request_id, document_id)
) strict;

-- Payout run numbers: one row a year, locked until the transaction commits.
create table payout_numbers (
    year integer primary key,
    last integer not null
) strict;

-- Payout runs: approved commissions paid at one time.
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

-- Payouts: one transfer per ISO partner and currency of a run.
create table payouts (
    id blob primary key,
    run_id blob not null references payout_runs (id),
    iso_id blob not null references isos (id),
    currency text not null,
    amount_minor integer not null,
    entries integer not null,
    unique (run_id, iso_id, currency)
) strict;

-- Commission ledger: a row when an order closes, a negative one when it is reversed. Amounts never change; paid rows
-- do not change at all.
create table commissions (
    id blob primary key,
    iso_id blob not null references isos (id),
    company_id blob not null references companies (id),
    spv_id blob not null references spvs (id),
    client_id blob not null references users (id),
    kind text not null check (kind in ('earned', 'reversed')),
    -- The rule applied: a fixed amount, or a rate (ten-thousandths of a percent) of a base.
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
-- Covering indexes for the sums on cards.
create index commissions_sums on commissions (iso_id, earned_date, currency, status, amount_minor);
create index commissions_due on commissions (iso_id, currency) where status = 'approved' and payout_id is null;
create index commissions_paid on commissions (iso_id) where status = 'paid';

-- Leads of ISO partners. The first to bring a person is protected for a time.
create table leads (
    id blob primary key,
    iso_id blob not null references isos (id),
    company_id blob not null references companies (id),
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
-- Leads and calls of ISO partners also appear on the request desk.
alter table requests add column lead_id blob references leads (id);
create unique index requests_by_lead on requests (lead_id) where lead_id is not null;

-- Private notes of ISO partners on clients.
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

-- Calls requested by ISO partners.
create table calls (
    id blob primary key,
    iso_id blob not null references isos (id),
    topic text not null,
    note text,
    minutes integer not null,
    -- Proposed times, as JSON.
    proposed text not null,
    status text not null check (status in ('requested', 'confirmed', 'declined', 'cancelled')),
    begins_at text,
    -- Dial-in details, or the reason for declining.
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
alter table requests add column call_id blob references calls (id);
create unique index requests_by_call on requests (call_id) where call_id is not null;

-- Logos of companies: the image, checked and limited in size; replaced in place.
create table company_logos (
    id blob primary key,
    company_id blob not null unique references companies (id),
    media_type text not null,
    bytes blob not null,
    created_at text not null
) strict;

create table report_schedules (
    id blob primary key,
    company_id blob not null references companies (id) on delete cascade,
    report text not null check (report in ('portfolio', 'commissions', 'step_times')),
    -- Reporting period.
    period text not null,
    every text not null check (every in ('weekly', 'monthly')),
    -- Next day on which it is mailed.
    next_date text not null,
    last_sent_at text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1
) strict;
create index report_schedules_by_company on report_schedules (company_id, created_at, id);
create index report_schedules_due on report_schedules (next_date, id);

create table report_recipients (
    schedule_id blob not null references report_schedules (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    primary key (schedule_id, user_id)
) strict;
create index report_recipients_by_user on report_recipients (user_id);

-- Impersonations (read-only) by super admins. They end with the session they were started from.
create table impersonations (
    id blob primary key,
    user_id blob not null references users (id),
    admin_id blob not null references users (id),
    session_id blob not null references sessions (id) on delete cascade,
    reason text not null,
    started_at text not null,
    expires_at text not null,
    ended_at text
) strict;
create index impersonations_by_session on impersonations (session_id);

-- IP blocklist.
create table address_blocks (
    id blob primary key,
    -- Address or network: 203.0.113.7 or 203.0.113.0/24.
    network text not null unique,
    reason text,
    created_at text not null,
    created_by text not null
) strict;

-- Where retention has cut the log: the last deleted number and its hash, at which the chain begins. Only moves
-- forward.
create table activity_checkpoint (
    one integer primary key check (one = 1),
    seq integer not null,
    hash text not null
) strict;

-- Health checks: the last result of each probe.
create table probes (
    name text primary key,
    ok integer not null,
    latency_ms integer,
    detail text,
    -- Consecutive failures.
    failures integer not null default 0,
    last_error text,
    last_error_at text,
    checked_at text not null
) strict;

-- Operator alerts; at most one open per kind and subject.
create table alerts (
    id blob primary key,
    kind text not null,
    subject text not null,
    data text not null,
    opened_at text not null,
    -- Last occurrence.
    seen_at text not null,
    resolved_at text,
    -- Null: resolved by itself.
    resolved_by text
) strict;
create unique index alerts_open on alerts (kind, subject) where resolved_at is null;
create index alerts_newest on alerts (opened_at, id);
create index alerts_of_subject on alerts (kind, subject, resolved_at);

-- Requested security scans.
create table scans (
    id blob primary key,
    asked_at text not null,
    asked_by text not null,
    finished_at text,
    -- Error of a failed scan.
    error text,
    findings text not null
) strict;
create index scans_newest on scans (asked_at, id);

-- The office's logo, for its pages and for mails to people without a company logo.
create table office_logos (
    id blob primary key,
    media_type text not null,
    bytes blob not null,
    created_at text not null
) strict;

-- Rollup of a company's orders by ISO partner (nil id: none) and currency, updated in the transaction that changes an
-- order; slots as in `counts`.
create table company_figures (
    company_id blob not null references companies (id),
    iso_id blob not null,
    currency text not null,
    slot integer not null,
    spvs integer not null,
    minor integer not null,
    -- How many of the orders are cancelled: cards leave them out (decision 14).
    cancelled integer not null default 0,
    primary key (company_id, iso_id, currency, slot)
) strict, without rowid;

-- Clients with an order of the company.
create table company_clients (
    company_id blob not null references companies (id),
    client_id blob not null references users (id),
    -- When they became a client, for the order of the company's list.
    client_created_at text not null default '1970-01-01T00:00:00+00:00',
    spvs integer not null default 1,
    primary key (company_id, client_id)
) strict, without rowid;
create index company_clients_newest on company_clients (company_id, client_created_at, client_id);

-- Requested backups. The contents are listed in the backup's folder.
create table backups (
    id blob primary key,
    -- Name of the backup's folder.
    name text not null unique,
    state text not null check (state in ('queued', 'running', 'done', 'failed')),
    asked_at text not null,
    asked_by text not null,
    -- The instant whose data it holds.
    made_at text,
    finished_at text,
    rows_count integer not null default 0,
    documents_count integer not null default 0,
    -- How many of the files could not be read.
    documents_missing integer not null default 0,
    bytes integer not null default 0,
    -- Error of a failed backup.
    error text,
    -- Folder of the backup when it was started.
    folder text
) strict;
create index backups_newest on backups (asked_at, id);
create index backups_good on backups (made_at) where state = 'done';
create index backups_going_on on backups (asked_at) where state in ('queued', 'running');

-- Rollups of amounts and counts by owner and period, for finances and dashboards; updated in the transaction that
-- changes what they sum.
create table figures (
    -- A company, an ISO partner, or the nil id for the office.
    owner_id blob not null,
    -- `day`, `month`, or `now` for figures without a date.
    grain text not null,
    -- `2026-11-22`, `2026-11`, or empty.
    period text not null,
    what text not null,
    -- Nil id: without an ISO partner.
    iso_id blob not null,
    country text not null,
    currency text not null,
    n integer not null,
    minor integer not null,
    primary key (owner_id, grain, period, what, iso_id, country, currency)
) strict, without rowid;

-- Failed sign-ins per network and second, for the alert on attacks; the log records only a sample of them.
create table sign_in_failures (
    at text not null,
    place text not null,
    failures integer not null,
    primary key (at, place)
) strict, without rowid;

-- Rollup of the commissions that open orders of ISO partners will earn when they close.
create table expected_commissions (
    iso_id blob not null references isos (id),
    company_id blob not null references companies (id),
    currency text not null,
    minor integer not null,
    primary key (iso_id, company_id, currency)
) strict, without rowid;
create index expected_commissions_by_company on expected_commissions (company_id);

-- Number of clients with an order of a company, kept by triggers of company_clients; slots as in `counts`.
create table company_client_counts (
    company_id blob not null references companies (id),
    slot integer not null,
    clients integer not null,
    primary key (company_id, slot)
) strict, without rowid;

-- Notification preferences by event, where they differ from the topic's.
create table notification_event_choices (
    user_id blob not null references users (id),
    -- Topic and action: `tasks.step.assigned`.
    event text not null,
    in_app integer not null,
    mail text not null check (mail in ('now', 'daily', 'off')),
    primary key (user_id, event)
) strict;

-- Links of List-Unsubscribe headers, one per delivery attempt; only hashes are stored.
create table unsubscribe_links (
    token_hash text not null primary key,
    mail_id blob not null references mails (id) on delete cascade
) strict;
create index unsubscribe_links_by_mail on unsubscribe_links (mail_id);

create table search_rows (
    id integer primary key,
    kind text not null,
    subject_id blob not null unique,
    words text not null
) strict;
create index search_rows_newest on search_rows (kind, id);

create virtual table search_index using fts5 (
    words, content = 'search_rows', content_rowid = 'id', detail = none, columnsize = 0, prefix = '1 2 3 4 5 6 7 8',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* P* S* C*'"
);

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

create trigger activity_is_kept before delete on activity
when old.seq is null or old.seq > coalesce((select seq from activity_checkpoint), 0)
begin
    select raise(abort, 'activity rows are deleted up to the checkpoint only');
end;

-- A row is inserted without a number and replaces none; its number lies between the checkpoint and the head.
create trigger activity_begins_unnumbered before insert on activity
when new.seq is not null or new.hash is not null
    or exists (select 1 from activity where id = new.id or rowid = new.rowid)
begin
    select raise(abort, 'an activity row is new and has no number yet');
end;

create trigger activity_is_numbered_in_order before update on activity
when old.seq is null
    and (new.seq <= coalesce((select seq from activity_checkpoint), 0)
        or new.seq > coalesce((select seq from activity_head), 0)
        or exists (select 1 from activity where seq = new.seq))
begin
    select raise(abort, 'an activity row is numbered in its turn');
end;

create trigger activity_is_append_only before update on activity
when old.seq is not null or new.seq is null or new.hash is null or new.rowid is not old.rowid
    or new.id is not old.id or new.nth is not old.nth or new.at is not old.at or new.actor_kind is not
    old.actor_kind or new.actor_id is not old.actor_id or new.actor_name is not old.actor_name or new.action
    is not old.action or new.subject_kind is not old.subject_kind or new.subject_id is not old.subject_id or
    new.subject_label is not old.subject_label or new.company_id is not old.company_id or new.client_id is not
    old.client_id or new.iso_id is not old.iso_id or new.spv_id is not old.spv_id or new.public is not
    old.public or new.address is not old.address or new.user_agent is not old.user_agent or new.data is not
    old.data or new.quiet is not old.quiet or new.subject_key is not old.subject_key or new.actor_key is not
    old.actor_key
begin
    select raise(abort, 'a numbered activity row never changes');
end;

create trigger activity_head_moves_on before update on activity_head
when new.seq <= old.seq
begin
    select raise(abort, 'the head of the log only moves on');
end;

create trigger activity_head_is_kept before delete on activity_head
begin
    select raise(abort, 'the head of the log only moves on');
end;

create trigger activity_head_is_one before insert on activity_head
begin
    select raise(abort, 'the head of the log only moves on');
end;

create trigger activity_checkpoint_moves_on before update on activity_checkpoint
when new.seq <= old.seq or not exists (select 1 from activity where seq = new.seq and hash = new.hash)
begin
    select raise(abort, 'the checkpoint moves on to a row that is there');
end;

create trigger activity_checkpoint_is_kept before delete on activity_checkpoint
begin
    select raise(abort, 'the checkpoint is kept');
end;

-- `insert or replace` would bypass the triggers for updates and deletes.
create trigger activity_checkpoint_is_one before insert on activity_checkpoint
begin
    select raise(abort, 'the checkpoint moves on to a row that is there');
end;

create trigger company_clients_came after insert on company_clients when new.spvs > 0
begin
    insert into company_client_counts (company_id, slot, clients) values (new.company_id, 0, 1)
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + 1;
end;

create trigger company_clients_went after delete on company_clients when old.spvs > 0
begin
    insert into company_client_counts (company_id, slot, clients) values (old.company_id, 0, -1)
    on conflict (company_id, slot) do update set clients = company_client_counts.clients - 1;
end;

create trigger company_clients_changed after update of spvs on company_clients when (old.spvs > 0) <> (new.spvs > 0)
begin
    insert into company_client_counts (company_id, slot, clients)
    values (new.company_id, 0, case when new.spvs > 0 then 1 else -1 end)
    on conflict (company_id, slot) do update set clients = company_client_counts.clients + excluded.clients;
end;

create trigger search_rows_added after insert on search_rows begin
    insert into search_index (rowid, words) values (new.id, new.words);
end;

create trigger search_rows_removed after delete on search_rows begin
    insert into search_index (search_index, rowid, words) values ('delete', old.id, old.words);
end;

create trigger search_rows_changed after update on search_rows begin
    insert into search_index (search_index, rowid, words) values ('delete', old.id, old.words);
    insert into search_index (rowid, words) values (new.id, new.words);
end;
