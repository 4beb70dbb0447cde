-- A sign-in writes its time to the account. Where the page has room for the new row, none of the many indexes of accounts
-- has to hear of it.
alter table users set (fillfactor = 85);
