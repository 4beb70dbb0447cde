-- Linking a provider ends with the session that began it. No reference: the session is asked for, and may be gone.
alter table flows add column linking_session_id blob;
create index flows_by_linking_user on flows (linking_user_id) where linking_user_id is not null;
