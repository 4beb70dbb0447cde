-- Documents with their versions, uploads on their way, and what the office asks its clients for.

-- A document that a client is asked for.
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
    version bigint not null default 1
);
create index document_requests_by_spv on document_requests (spv_id, created_at, id);
create index document_requests_by_step on document_requests (step_id) where step_id is not null;
-- What clients owe, and what waits for the staff.
create index document_requests_due on document_requests (due_date, id) where status in ('requested', 'needs_revision');
create index document_requests_submitted on document_requests (updated_at, id) where status = 'submitted';

-- What people call a document. Its content is in its versions, of which the newest has the number versions_count.
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
    version bigint not null default 1
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
    -- Ours alone, made of nothing that anybody typed. A restored version shares the older one's content.
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

-- An upload, from its announcement until its content is a version.
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
    touched_at timestamptz not null
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

-- The step is done once the last document required for it is approved or waived.
alter table spv_steps add column completes_with_documents boolean not null default false;

-- The feed of the staff's dashboard tells of the client portal's nouns, too.
drop index activity_work;
create index activity_work on activity (seq)
    where seq is not null and subject_kind in ('client', 'company', 'iso', 'spv', 'step', 'request',
        'document', 'document_request', 'invoice', 'message');
