-- How somebody is told of one kind of event, where that differs from what they chose for its topic. A table of its own,
-- as the version before this one, which may still run beside it, reads all rows of notification_choices and knows topics
-- only.
create table notification_event_choices (
    user_id uuid not null references users (id),
    -- `tasks.step.assigned`: the topic, and the action of the log.
    event text not null,
    in_app boolean not null,
    mail text not null check (mail in ('now', 'daily', 'off')),
    primary key (user_id, event)
);
