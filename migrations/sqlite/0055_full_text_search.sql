-- Full-text search by FTS5: one row of words for each row that can be found, and the index over them. The words are
-- folded and split in Rust, so the tokenizer splits at spaces only. Prefixes of up to eight letters have an index.
drop table search_terms;
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
