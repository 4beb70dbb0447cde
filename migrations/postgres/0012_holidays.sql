-- Days that super admins corrected in the table of public holidays.
create table holiday_corrections (
    id uuid primary key,
    country text not null,
    day date not null,
    -- The holiday's name; null for a working day.
    name text,
    created_at timestamptz not null,
    created_by text not null,
    unique (country, day)
);
