-- The name of the company that an order forms, where it is known.
alter table spvs add column vehicle_name text;
