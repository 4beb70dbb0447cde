-- What a provider gave whoever signed in with it, sealed under the code that is exchanged for it: the database knows
-- only the code's hash.
alter table flows add column provider_tokens text;
