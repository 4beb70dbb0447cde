-- Who of the staff sees to a step, and what the desk counts.
alter table spv_steps add column assignee_id uuid references users (id);
create index spv_steps_by_assignee on spv_steps (assignee_id, due_date, id)
    where assignee_id is not null and status <> 'completed';
create index spv_steps_done on spv_steps (completed_at, id) where status = 'completed';
