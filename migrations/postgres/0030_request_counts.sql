-- How many requests there are of each status: the office's figures, with the nil id for their owner and the status for
-- their period. Kept from now on by the transactions that change it.
insert into figures (owner_id, grain, period, what, iso_id, country, currency, n, minor)
select cast('00000000-0000-0000-0000-000000000000' as uuid), 'now', status, 'requests', cast('00000000-0000-0000-0000-000000000000' as uuid),
    '', '', count(*), 0
from requests group by status;
