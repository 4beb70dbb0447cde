-- When a mail was given up, as opposed to not wanted any more: staff see it beside the address.
alter table mails add column failed_at text;
create index mails_failed on mails (user_id, failed_at) where failed_at is not null;
