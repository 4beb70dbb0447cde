/** Email change with single confirmation, at the new address only. */
import { expect, test } from 'vitest';
import { unwrap, linkParams, startServer } from './support/server';

const portal = startServer({ SPV_AUTH_SECURE_EMAIL_CHANGE: 'false' });

test('single mail to the new address completes the change by link or code', async () => {
  for (const by of ['link', 'code'] as const) {
    const { who, client } = await portal.signedInUser();
    const wanted = portal.address('moved');
    expect(unwrap(await client.updateUser({ email: wanted })).user.new_email).toBe(wanted);
    const mail = await portal.mail(wanted);
    const confirmed =
      by === 'link'
        ? await portal.client().verifyOtp(linkParams(mail))
        : await portal.client().verifyOtp({ email: wanted, token: mail.code(), type: 'email_change' });
    expect(unwrap(confirmed).session?.user.email).toBe(wanted);
    expect(unwrap(await client.getUser()).user.email).toBe(wanted);
    await portal.client().signIn(wanted);
    expect(await portal.mails(who.email)).toEqual([]);
  }
});
