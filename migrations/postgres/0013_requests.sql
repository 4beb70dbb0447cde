-- The request desk: how urgent a request is, who works on it, when it is due, and what it became.
alter table requests add column priority text not null default 'medium' check (priority in ('high', 'medium', 'low'));
alter table requests add column assignee_id uuid references users (id);
alter table requests add column due_at timestamptz;
alter table requests add column updated_at timestamptz;
alter table requests add column updated_by text;
-- The account that an approved application became: a client's, a partner, a company, a colleague's.
alter table requests add column made_kind text check (made_kind in ('client', 'iso', 'company', 'user'));
alter table requests add column made_id uuid;
-- What was sent before there were priorities is due.
update requests set due_at = created_at, updated_at = coalesce(decided_at, created_at),
    updated_by = coalesce(decided_by, name);

create index requests_by_priority on requests (priority, created_at, id);
create index requests_by_assignee on requests (assignee_id, created_at, id);
create index requests_by_due on requests (due_at, id);
create index requests_by_rank on requests ((case priority when 'high' then 1 when 'medium' then 2 else 3 end), due_at, id);
-- What waits for the staff, the most pressing first.
create index requests_open on requests (priority, due_at, id) where status in ('pending', 'in_review');
-- The desk's own log.
create index activity_requests on activity (seq) where seq is not null and subject_kind = 'request';
