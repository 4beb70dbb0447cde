-- What the dashboards call recent work. Messages are told of their thread, and an index that does not name every kind
-- that is asked for is not used.
drop index activity_work;
create index activity_work on activity (seq)
    where seq is not null and subject_kind in ('client', 'company', 'iso', 'spv', 'step', 'request',
        'document', 'document_request', 'invoice', 'thread');
