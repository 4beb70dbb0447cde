-- A step is completed when it says since when (decision 4). Its status changes more often than that, and a condition on the
-- status made PostgreSQL write the step anew into each of its indexes whenever it did.
drop index spv_steps_due;
drop index spv_steps_by_assignee;
drop index spv_steps_done;
create index spv_steps_due on spv_steps (due_date, id) where completed_at is null;
create index spv_steps_by_assignee on spv_steps (assignee_id, due_date, id)
    where assignee_id is not null and completed_at is null;
create index spv_steps_done on spv_steps (completed_at, id) where completed_at is not null;
