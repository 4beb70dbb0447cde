/** The client from npm in a page, as somebody else's program would use it: what no screen of ours offers. */
import { paths } from '../src/paths';
import { npmClient } from './support/npmClient';
import { password } from './support/portal';
import { expect, test } from './support/story';

const chosen = 'seven quiet herons at dusk';

test('the digits of a mail stand in for the present password, once', async ({ office }) => {
  const who = office.newcomer('Nora', 'Digits');
  await office.clientWithOrder(who);
  await office.setsPassword(who.email);
  const nora = await office.visitor();
  await nora.opens(paths.login('client'));
  const npm = await npmClient(nora.page);
  const enters = (with_: string) =>
    npm.evaluate(
      async (client, asked) => {
        const { error } = await client.signInWithPassword(asked);
        return error && { status: error.status, code: error.code };
      },
      { email: who.email, password: with_ },
    );
  const sets = (change: { password: string; nonce?: string }) =>
    npm.evaluate(async (client, asked) => {
      const { error } = await client.updateUser(asked);
      return error && { status: error.status, code: error.code };
    }, change);

  expect(await enters(password)).toBeNull();
  expect(await sets({ password: chosen })).toEqual({ status: 400, code: 'current_password_required' });
  expect(await npm.evaluate(async (client) => (await client.reauthenticate()).error)).toBeNull();
  const nonce = (await office.portal.post.arrives(who.email, 'Your code for')).code();
  const refused = { status: 422, code: 'reauthentication_not_valid' };
  const wrong = nonce === '000000' ? '111111' : '000000';
  expect(await sets({ password: chosen, nonce: wrong })).toEqual(refused);
  expect(await sets({ password: chosen, nonce })).toBeNull();
  expect(await sets({ password: 'nine loud geese at noon', nonce })).toEqual(refused);
  expect(await enters(password)).toEqual({ status: 400, code: 'invalid_credentials' });
  expect(await enters(chosen)).toBeNull();
});
