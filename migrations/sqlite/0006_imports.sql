-- Imports that created rows, and for a day the rows, so that an import can be undone.
create table imports (
    id blob primary key,
    kind text not null,
    file_name text not null,
    created_at text not null,
    created_by text not null,
    created_rows integer not null,
    updated_rows integer not null,
    present_rows integer not null,
    differing_rows integer not null,
    rejected_rows integer not null,
    -- Rows that were removed again, and when.
    removed_rows integer not null default 0,
    undone_at text
) strict;
create index imports_newest on imports (created_at, id);

create table import_rows (
    import_id blob not null references imports (id) on delete cascade,
    subject_id blob not null,
    line integer not null,
    label text not null,
    -- Version of the row after the import; a later change raises it.
    version integer not null,
    created_at text not null,
    primary key (import_id, subject_id)
) strict, without rowid;

-- An undo deletes orders, each after a look for mails about it.
create index mails_by_spv on mails (spv_id) where spv_id is not null;
