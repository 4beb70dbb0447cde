import { expect, test } from 'vitest';
import { proxyErrorBody, normalizeResponse, statusFromMessage } from './proxyResponses';

const page = (status: number) =>
  new Response('<html><h1>Not ours</h1></html>', { status, headers: { 'content-type': 'text/html' } });

test.each([
  [413, 'proxy_too_large'],
  [502, 'proxy_unreachable'],
  [503, 'proxy_unreachable'],
  [504, 'proxy_unreachable'],
  [401, 'proxy_refused'],
  [403, 'proxy_refused'],
  [404, 'proxy_refused'],
  [429, 'proxy_refused'],
  [200, 'proxy_page'],
])('proxy page with status %i is reported as %s and keeps the session', async (status, code) => {
  const answer = await normalizeResponse(page(status));
  expect(answer.status).toBe(502);
  expect(await answer.json()).toMatchObject({ code, error_code: code, params: { status } });
});

test('JSON error without a code is attributed to a proxy', async () => {
  const kong = Response.json({ message: 'Request size limit exceeded' }, { status: 413 });
  expect(await (await normalizeResponse(kong)).json()).toMatchObject({ code: 'proxy_too_large' });
  const gateway = Response.json({ code: 403, message: 'Forbidden' }, { status: 403 });
  expect(await (await normalizeResponse(gateway)).json()).toMatchObject({ code: 'proxy_refused' });
  const empty = new Response(null, { status: 413 });
  expect(await (await normalizeResponse(empty)).json()).toMatchObject({ code: 'proxy_too_large' });
  const cut = new Response('{"code":', { status: 500, headers: { 'content-type': 'application/json' } });
  expect(await (await normalizeResponse(cut)).json()).toMatchObject({ code: 'proxy_refused' });
  const plain = new Response('no healthy upstream', {
    status: 503,
    headers: { 'content-type': 'text/plain' },
  });
  expect(await (await normalizeResponse(plain)).json()).toMatchObject({ code: 'proxy_unreachable' });
});

test('server responses are unchanged', async () => {
  for (const answer of [
    Response.json({ code: 'internal', message: 'Sorry', request_id: '1' }, { status: 500 }),
    Response.json({ code: 400, error_code: 'invalid_credentials', msg: 'No' }, { status: 400 }),
    Response.json({ error: 'invalid_grant', error_description: 'No' }, { status: 400 }),
    Response.json({ id: 1 }),
    new Response('a;b', { headers: { 'content-type': 'text/csv' } }),
    new Response(null, { status: 204 }),
    new Response(null, { status: 304 }),
  ]) {
    expect(await normalizeResponse(answer)).toBe(answer);
    expect(answer.bodyUsed).toBe(false);
  }
});

test('status can be read back from the message that the auth client keeps', () => {
  expect(statusFromMessage(proxyErrorBody(403).message)).toBe(403);
  expect(statusFromMessage('')).toBe(502);
});
