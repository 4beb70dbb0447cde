-- When a backup was copied to another storage, or why the last attempt failed.
alter table backups add column copied_at text;
alter table backups add column copy_error text;
