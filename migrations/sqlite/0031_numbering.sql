-- PostgreSQL compares a row's columns one by one when it is numbered, as SQLite does since 0015.
select 1;
