-- A suspended or archived account goes back to what it was. Its password does not tell: there is one that nobody knows
-- where Quick Setup made the account, and somebody may know one without ever having signed in with it.
alter table users add column status_before text check (status_before in ('pending', 'active'));
