-- Imports that created rows, and for a day the rows, so that an import can be undone.
create table imports (
    id uuid primary key,
    kind text not null,
    file_name text not null,
    created_at timestamptz not null,
    created_by text not null,
    created_rows bigint not null,
    updated_rows bigint not null,
    present_rows bigint not null,
    differing_rows bigint not null,
    rejected_rows bigint not null,
    -- Rows that were removed again, and when.
    removed_rows bigint not null default 0,
    undone_at timestamptz
);
create index imports_newest on imports (created_at, id);

create table import_rows (
    import_id uuid not null references imports (id) on delete cascade,
    subject_id uuid not null,
    line bigint not null,
    label text not null,
    -- Version of the row after the import; a later change raises it.
    version bigint not null,
    created_at timestamptz not null,
    primary key (import_id, subject_id)
);

-- An undo deletes orders, each after a look for mails about it.
create index mails_by_spv on mails (spv_id) where spv_id is not null;
