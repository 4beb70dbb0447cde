-- Full-text search by a GIN index: one row of words for each row that can be found. The words are folded and split in
-- Rust, so they are indexed as they stand. A short list of pending entries keeps searches quick while rows come in.
drop table search_terms;
create table search_rows (
    id bigserial primary key,
    kind text not null,
    subject_id uuid not null unique,
    words text not null
);
create index search_rows_newest on search_rows (kind, id);
create index search_rows_words on search_rows using gin (array_to_tsvector(string_to_array(btrim(words), ' ')))
    with (gin_pending_list_limit = 256);
