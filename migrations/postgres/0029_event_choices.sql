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

-- What tells of an order's beginning and end went out at once to clients who chose the summary, and stays so until they
-- say otherwise; of a request that is looked at, and of a commission that was approved, nobody had a mail.
insert into notification_event_choices (user_id, event, in_app, mail)
select c.user_id, e.event, c.in_app, e.mail
from notification_choices c join users u on u.id = c.user_id join (
    select 'client' as role, 'progress' as topic, 'daily' as chosen, 'progress.spv.created' as event, 'now' as mail
    union all select 'client', 'progress', 'daily', 'progress.spv.closed', 'now'
    union all select 'iso', 'progress', 'now', 'progress.commission.approved', 'off'
    union all select 'iso', 'progress', 'daily', 'progress.commission.approved', 'off'
) e on e.role = u.role and e.topic = c.topic and e.chosen = c.mail
union all
select user_id, 'requests.request.in_review', in_app, 'off' from notification_choices
where topic = 'requests' and mail <> 'off';
