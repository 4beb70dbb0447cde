-- One-time "This wasn't me" links of security mails; only hashes are stored.
create table secure_account_links (
    token_hash text not null primary key,
    mail_id blob not null references mails (id) on delete cascade,
    expires_at text not null,
    used_at text
) strict;
create index secure_account_links_by_mail on secure_account_links (mail_id);
create index secure_account_links_expired on secure_account_links (expires_at);

-- A sign-in is compared with the account's earlier ones, ended ones too.
create index sessions_newest on sessions (user_id, created_at);

-- Administrator who made the link or set the password of an account in use, and the sessions that began by it.
alter table links add column issued_by text;
alter table users add column password_set_by text;
alter table sessions add column begun_by text;
