-- Accounts and sign-in in full: more kinds of links, provider sign-in, second factors, and what slows guessing down.

-- A link's kinds grow, and SQLite cannot change a check: the table is made anew with its rows.
create table links_of_all_kinds (
    id blob primary key,
    user_id blob not null references users (id),
    kind text not null check (kind in ('recovery', 'invite', 'signup', 'magiclink',
        'email_change_current', 'email_change_new', 'reauthentication')),
    token_hash text not null unique,
    code_hash text not null,
    attempts integer not null default 0,
    created_at text not null,
    expires_at text not null,
    used_at text,
    -- The PKCE flow that asked for it: the click then leads back to the browser where the flow began.
    flow_id blob
) strict;
insert into links_of_all_kinds (id, user_id, kind, token_hash, code_hash, attempts, created_at, expires_at, used_at)
    select id, user_id, kind, token_hash, code_hash, attempts, created_at, expires_at, used_at from links;
drop table links;
alter table links_of_all_kinds rename to links;
create index links_by_user on links (user_id, kind, created_at);
create index links_expired on links (expires_at);

-- What people say of themselves over the protocol; never believed for anything.
alter table users add column metadata text not null default '{}';
-- What an admin of the protocol notes about them; never believed for anything either.
alter table users add column app_metadata text not null default '{}';
-- An address that waits for its confirmations, and which of the two has come: 'current' or 'new'.
alter table users add column new_email text;
alter table users add column new_email_key text;
alter table users add column new_email_confirmed text;
-- Shut out until then by an admin of the protocol.
alter table users add column banned_until text;
-- Made over the protocol, and the address is still to be confirmed by a link: then, and not by a password, it opens.
alter table users add column awaits_confirmation integer not null default 0;
-- Made by whoever came, who chose the password before showing that the address is theirs.
alter table users add column self_made integer not null default 0;
-- When a mail was last asked for, by what for.
alter table users add column confirmation_sent_at text;
alter table users add column recovery_sent_at text;
alter table users add column email_change_sent_at text;
alter table users add column reauthentication_sent_at text;
alter table users add column invited_at text;
create index users_by_new_email on users (new_email_key) where new_email_key is not null;

-- The factor that raised the session to aal2.
alter table sessions add column factor_id blob;
-- Refresh tokens before this one were given out before the second factor, and are worth nothing any more.
alter table sessions add column raised_counter integer not null default 0;
create index sessions_ended on sessions (ended_at) where ended_at is not null;

-- A mail of the protocol may go to an address that is not the account's yet.
alter table mails add column link_kind text;
alter table mails add column flow_id blob;

-- Sign-ins at OpenID providers that belong to an account. The e-mail identity is the account itself.
create table identities (
    id blob primary key,
    user_id blob not null references users (id),
    provider text not null,
    provider_id text not null,
    email text not null,
    data text not null,
    last_sign_in_at text,
    created_at text not null,
    updated_at text not null,
    unique (provider, provider_id)
) strict;
create index identities_by_user on identities (user_id, created_at);

-- A sign-in that began in one place and ends in another: PKCE over a mail, or at a provider.
create table flows (
    id blob primary key,
    user_id blob references users (id),
    -- 'oauth', or the kind of the link: how the session will say it was begun.
    method text not null,
    code_challenge text,
    code_challenge_method text,
    auth_code_hash text unique,
    redirect_to text not null,
    provider text,
    -- Kept for the way back from the provider; worth nothing without its code.
    provider_nonce text,
    provider_verifier text,
    linking_user_id blob references users (id),
    -- What the provider said, kept until whoever began it comes for it.
    arrival text,
    created_at text not null,
    expires_at text not null,
    code_issued_at text,
    used_at text
) strict;
create index flows_by_user on flows (user_id, method, created_at);
create index flows_expired on flows (expires_at);

-- Second factors: authenticators, and at most one set of recovery codes. No secret is kept: an authenticator's is made
-- from a signing key and the factor's id.
create table factors (
    id blob primary key,
    user_id blob not null references users (id),
    kind text not null check (kind in ('totp', 'recovery_code')),
    friendly_name text not null,
    status text not null check (status in ('unverified', 'verified')),
    key_id text,
    -- The last time step that was used: a code works once.
    last_step integer,
    last_challenged_at text,
    created_at text not null,
    updated_at text not null,
    unique (user_id, friendly_name)
) strict;
create table factor_challenges (
    id blob primary key,
    factor_id blob not null references factors (id) on delete cascade,
    address text,
    attempts integer not null default 0,
    created_at text not null,
    expires_at text not null,
    verified_at text
) strict;
create index factor_challenges_by_factor on factor_challenges (factor_id);
create index factor_challenges_expired on factor_challenges (expires_at);
create table recovery_codes (
    id blob primary key,
    user_id blob not null references users (id),
    code_hash text not null,
    created_at text not null,
    used_at text
) strict;
create index recovery_codes_by_user on recovery_codes (user_id);

-- Failed sign-ins by account and by address, under a hash of either: each failure makes the next wait longer.
create table failures (
    key text primary key,
    failures integer not null,
    last_at text not null
) strict;
create index failures_old on failures (last_at);

-- When a mail was last asked for, by a hash of what for and the address, known to us or not.
create table mail_gaps (
    key text primary key,
    asked_at text not null
) strict;
create index mail_gaps_old on mail_gaps (asked_at);

-- The log of accounts and sessions, as administrators of the protocol ask for it: all of it, by action, by author.
create index activity_of_accounts on activity (seq) where seq is not null and subject_kind = 'user';
create index activity_of_accounts_by_action on activity (action, seq) where seq is not null and subject_kind = 'user';
create index activity_of_accounts_by_actor on activity (actor_id, actor_name, seq) where seq is not null and subject_kind = 'user';
