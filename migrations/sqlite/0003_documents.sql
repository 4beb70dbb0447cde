-- Documents with their versions, uploads on their way, and what the office asks its clients for.

-- A document that a client is asked for.
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
    version integer not null default 1
) strict;
create index document_requests_by_spv on document_requests (spv_id, created_at, id);
create index document_requests_by_step on document_requests (step_id) where step_id is not null;
-- What clients owe, and what waits for the staff.
create index document_requests_due on document_requests (due_date, id) where status in ('requested', 'needs_revision');
create index document_requests_submitted on document_requests (updated_at, id) where status = 'submitted';

-- What people call a document. Its content is in its versions, of which the newest has the number versions_count.
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
    version integer not null default 1
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
    -- Ours alone, made of nothing that anybody typed. A restored version shares the older one's content.
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

-- An upload, from its announcement until its content is a version.
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
    touched_at text not null
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

-- The step is done once the last document required for it is approved or waived.
alter table spv_steps add column completes_with_documents integer not null default 0;

-- The feed of the staff's dashboard tells of the client portal's nouns, too.
drop index activity_work;
create index activity_work on activity (seq)
    where seq is not null and subject_kind in ('client', 'company', 'iso', 'spv', 'step', 'request',
        'document', 'document_request', 'invoice', 'message');
