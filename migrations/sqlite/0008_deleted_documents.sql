-- Since when a document is deleted. The staff restore it until its content is deleted, too.
alter table documents add column deleted_at text;
-- The list of deleted documents, and those whose content is to be deleted.
create index documents_deleted on documents (updated_at, id) where deleted_at is not null;
