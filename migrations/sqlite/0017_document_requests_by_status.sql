-- The documents of one review status.
create index document_requests_by_status on document_requests (status, id);
