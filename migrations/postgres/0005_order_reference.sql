-- The client's own reference of an order.
alter table spvs add column reference text;
