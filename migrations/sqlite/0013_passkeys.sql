-- Passkeys (WebAuthn credentials), also those that are second factors.
create table passkeys (
    id blob primary key,
    user_id blob not null references users (id),
    friendly_name text not null,
    -- Base64url. Null: a second factor that is enrolled but not verified yet.
    credential_id text unique,
    -- Public key, signature counter and backup state, as `webauthn-rs` serialises them.
    credential text,
    -- Model of the authenticator, unless it is all zero.
    aaguid blob,
    device_kind text not null check (device_kind in ('synced', 'device', 'security_key', 'unknown')),
    -- Verified after a password, too. Any passkey signs in without one.
    second_factor integer not null,
    last_challenged_at text,
    last_used_at text,
    created_at text not null,
    updated_at text not null
) strict;
create index passkeys_by_user on passkeys (user_id, created_at);

-- Challenges of registrations and verifications; deleted at their first use.
create table webauthn_challenges (
    id blob primary key,
    purpose text not null check (purpose in ('registration', 'sign_in', 'factor')),
    -- Null: a sign-in, whose account is not known yet.
    user_id blob references users (id),
    -- The second factor to enroll or verify.
    passkey_id blob references passkeys (id) on delete cascade,
    -- The challenge and its policy, as `webauthn-rs` serialises them.
    state text not null,
    address text,
    created_at text not null,
    expires_at text not null
) strict;
create index webauthn_challenges_by_passkey on webauthn_challenges (passkey_id);
create index webauthn_challenges_expired on webauthn_challenges (expires_at);
