-- What a company's money comes to by day and by month, its partners and countries, and what each partner has: kept by the
-- transactions that change it. Finances and the partners' dashboards cost the same for ten orders and a hundred thousand.
create table figures (
    -- A company or a partner.
    owner_id uuid not null,
    -- `day`, `month`, or `now` for what has no date.
    grain text not null,
    -- `2026-11-22`, `2026-11`, or nothing.
    period text not null,
    what text not null,
    -- The nil id for what came without a partner.
    iso_id uuid not null,
    country text not null,
    currency text not null,
    n bigint not null,
    minor bigint not null,
    primary key (owner_id, grain, period, what, iso_id, country, currency)
);

-- Nothing counts these any more.
drop index spvs_iso_closed;
drop index users_iso_clients;

insert into figures (owner_id, grain, period, what, iso_id, country, currency, n, minor)
select s.company_id, 'day', cast(s.ordered_date as text), 'ordered', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, s.currency,
    count(*), cast(coalesce(sum(coalesce(s.purchase_amount_minor, s.price_minor)), 0) as bigint)
from spvs s where s.status <> 'cancelled' group by 1, 3, 5, 6, 7
union all select s.company_id, 'month', substr(cast(s.ordered_date as text), 1, 7), 'ordered', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, s.currency,
    count(*), cast(coalesce(sum(coalesce(s.purchase_amount_minor, s.price_minor)), 0) as bigint)
from spvs s where s.status <> 'cancelled' group by 1, 3, 5, 6, 7
union all select s.company_id, 'day', cast(v.issued_date as text), 'invoiced', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, v.currency,
    count(*), cast(coalesce(sum(v.total_minor), 0) as bigint)
from invoices v join spvs s on s.id = v.spv_id where v.status <> 'void' group by 1, 3, 5, 6, 7
union all select s.company_id, 'month', substr(cast(v.issued_date as text), 1, 7), 'invoiced', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, v.currency,
    count(*), cast(coalesce(sum(v.total_minor), 0) as bigint)
from invoices v join spvs s on s.id = v.spv_id where v.status <> 'void' group by 1, 3, 5, 6, 7
union all select s.company_id, 'day', cast(p.received_date as text), 'paid', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, v.currency,
    count(*), cast(coalesce(sum(p.amount_minor), 0) as bigint)
from invoice_payments p join invoices v on v.id = p.invoice_id join spvs s on s.id = v.spv_id
where v.status in ('part_paid', 'paid') group by 1, 3, 5, 6, 7
union all select s.company_id, 'month', substr(cast(p.received_date as text), 1, 7), 'paid', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, v.currency,
    count(*), cast(coalesce(sum(p.amount_minor), 0) as bigint)
from invoice_payments p join invoices v on v.id = p.invoice_id join spvs s on s.id = v.spv_id
where v.status in ('part_paid', 'paid') group by 1, 3, 5, 6, 7
union all select s.company_id, 'day', cast(e.earned_date as text), 'commission', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, e.currency,
    count(*), cast(coalesce(sum(e.amount_minor), 0) as bigint)
from commissions e join spvs s on s.id = e.spv_id where e.status <> 'void' group by 1, 3, 5, 6, 7
union all select s.company_id, 'month', substr(cast(e.earned_date as text), 1, 7), 'commission', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, e.currency,
    count(*), cast(coalesce(sum(e.amount_minor), 0) as bigint)
from commissions e join spvs s on s.id = e.spv_id where e.status <> 'void' group by 1, 3, 5, 6, 7
union all select s.company_id, 'now', '', 'due', coalesce(s.iso_id, cast('00000000-0000-0000-0000-000000000000' as uuid)), s.country, v.currency,
    count(*), cast(sum(v.total_minor - v.paid_minor) as bigint)
from invoices v join spvs s on s.id = v.spv_id where v.status in ('due', 'part_paid') group by 1, 5, 6, 7
union all select e.iso_id, 'month', substr(cast(e.earned_date as text), 1, 7), 'commission', cast('00000000-0000-0000-0000-000000000000' as uuid), '', e.currency,
    count(*), cast(sum(e.amount_minor) as bigint)
from commissions e where e.status <> 'void' group by 1, 3, 7
union all select iso_id, 'now', '', 'clients', cast('00000000-0000-0000-0000-000000000000' as uuid), '', '', count(*), 0
from users where role = 'client' and status in ('active', 'pending') and iso_id is not null group by iso_id
union all select iso_id, 'now', '', 'leads', cast('00000000-0000-0000-0000-000000000000' as uuid), '', '', count(*), 0
from leads where stage in ('new', 'contacted', 'qualified') group by iso_id
union all select iso_id, 'now', '', 'closed', cast('00000000-0000-0000-0000-000000000000' as uuid), '', '', count(*), 0
from spvs where status = 'closed' and iso_id is not null group by iso_id;
