-- Links of List-Unsubscribe headers, one for each attempt to send a mail. Only hashes are kept.
create table unsubscribe_links (
    token_hash text not null primary key,
    mail_id uuid not null references mails (id) on delete cascade
);
create index unsubscribe_links_by_mail on unsubscribe_links (mail_id);
