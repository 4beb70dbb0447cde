-- Documents that hang on something: messages and requests for orders. Receipts have had their table all along.
create table message_documents (
    message_id blob not null references messages (id),
    document_id blob not null references documents (id),
    primary key (message_id, document_id)
) strict;
-- What a document hangs on.
create index message_documents_by_document on message_documents (document_id);
create table request_documents (
    request_id blob not null references requests (id),
    document_id blob not null references documents (id),
    primary key (request_id, document_id)
) strict;

-- Of the staff alone: what hangs on an internal note, and what is not handed on yet.
alter table documents add column internal integer not null default 0;
-- What is on its way will hang on something, which then tells of it.
alter table uploads add column attach integer not null default 0;

-- In which language whoever has no account reads what became of a request.
alter table requests add column language text;
