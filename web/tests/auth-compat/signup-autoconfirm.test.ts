/** Sign-up with autoconfirm. */
import { expect, test } from 'vitest';
import { unwrap, errorWith, startServer, password, errorOf } from './support/server';

const portal = startServer({ SPV_AUTH_SIGNUP: 'true', SPV_AUTH_AUTOCONFIRM: 'true' });

test('new account is signed in at once without a mail', async () => {
  const email = portal.address('new');
  const client = portal.client();
  const { user, session } = unwrap(await client.signUp({ email, password }));
  expect(session?.user.id).toBe(user?.id);
  expect(user?.email_confirmed_at).toBeTruthy();
  expect(client.events).toContain('SIGNED_IN');
  unwrap(await client.getUser());
  await portal.client().signIn(email);
  expect(await portal.mails(email)).toEqual([]);
});

test('taken address is rejected', async () => {
  const { email } = await portal.createUser();
  const again = await portal.client().signUp({ email, password });
  expect(errorOf(again)).toEqual(errorWith(422, 'user_already_exists'));
  expect(again.error?.message).toBe('User already registered');
});

test('/settings reports sign-up and autoconfirm', async () => {
  expect((await portal.ask('/settings')).body).toMatchObject({
    disable_signup: false,
    mailer_autoconfirm: true,
  });
});
