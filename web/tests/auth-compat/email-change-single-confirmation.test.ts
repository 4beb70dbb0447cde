/** A new e-mail address where the operator has only the new one confirm. */
import { expect, test } from 'vitest';
import { got, linked, office } from './support/server';

const portal = office({ SPV_AUTH_SECURE_EMAIL_CHANGE: 'false' });

test('one mail, to the new address, and its link or code is enough', async () => {
  for (const by of ['link', 'code'] as const) {
    const { who, client } = await portal.inside();
    const wanted = portal.address('moved');
    expect(got(await client.updateUser({ email: wanted })).user.new_email).toBe(wanted);
    const mail = await portal.mail(wanted);
    const confirmed =
      by === 'link'
        ? await portal.client().verifyOtp(linked(mail))
        : await portal.client().verifyOtp({ email: wanted, token: mail.code(), type: 'email_change' });
    expect(got(confirmed).session?.user.email).toBe(wanted);
    expect(got(await client.getUser()).user.email).toBe(wanted);
    await portal.client().enters(wanted);
    expect(await portal.mails(who.email)).toEqual([]);
  }
});
