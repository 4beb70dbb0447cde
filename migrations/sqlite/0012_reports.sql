-- Reports that companies are mailed again and again, and what their figures are read from.

create table report_schedules (
    id blob primary key,
    company_id blob not null references companies (id) on delete cascade,
    report text not null check (report in ('portfolio', 'commissions', 'step_times')),
    -- Which days the report is about when it is opened.
    period text not null,
    every text not null check (every in ('weekly', 'monthly')),
    -- The day on which it is mailed next.
    next_date text not null,
    last_sent_at text,
    created_at text not null,
    updated_at text not null,
    updated_by text not null,
    version integer not null default 1
) strict;
create index report_schedules_by_company on report_schedules (company_id, created_at, id);
create index report_schedules_due on report_schedules (next_date, id);

create table report_recipients (
    schedule_id blob not null references report_schedules (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    primary key (schedule_id, user_id)
) strict;
create index report_recipients_by_user on report_recipients (user_id);

-- What a company's finances and analytics sum, readable from the index alone.
create index spvs_company_figures on spvs (company_id, ordered_date, status, iso_id, country, currency,
    purchase_amount_minor, price_minor, id);

-- What the cards of a dashboard count, one for each card, so that they grow slower than what they count.
create index spvs_company_clients on spvs (company_id, client_id) where client_id is not null;
create index spvs_iso_closed on spvs (iso_id) where status = 'closed';
create index users_iso_clients on users (iso_id, role) where role = 'client' and status in ('active', 'pending');
