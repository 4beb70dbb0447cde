-- Who of the staff sees to a step, and what the desk counts.
alter table spv_steps add column assignee_id blob references users (id);
create index spv_steps_by_assignee on spv_steps (assignee_id, due_date, id)
    where assignee_id is not null and status <> 'completed';
create index spv_steps_done on spv_steps (completed_at, id) where status = 'completed';

-- Which step of an order waits for which other.
create table step_dependencies (
    spv_id blob not null references spvs (id),
    step_id blob not null references spv_steps (id) on delete cascade,
    depends_on blob not null references spv_steps (id) on delete cascade,
    primary key (spv_id, step_id, depends_on)
) strict;
create index step_dependencies_by_step on step_dependencies (step_id);
create index step_dependencies_by_need on step_dependencies (depends_on);

-- Templates are edited, and say which documents a step asks the client for.
alter table templates add column version integer not null default 1;
alter table templates add column updated_by text;
alter table template_steps add column completes_with_documents integer not null default 0;
create table template_documents (
    country text not null references templates (country),
    step_order integer not null,
    nth integer not null,
    name text not null,
    instructions text,
    required integer not null,
    primary key (country, step_order, nth)
) strict;
