-- PostgreSQL's pages of accounts keep some room from here on; SQLite changes rows in place.
select 1;
