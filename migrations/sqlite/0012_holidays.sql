-- Days that super admins corrected in the table of public holidays.
create table holiday_corrections (
    id blob primary key,
    country text not null,
    day text not null,
    -- The holiday's name; null for a working day.
    name text,
    created_at text not null,
    created_by text not null,
    unique (country, day)
) strict;
