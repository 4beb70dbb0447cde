-- Which steps of a template wait for which others, by their numbers: copied into step_dependencies of each order.
alter table template_steps add column depends_on text not null default '[]';
