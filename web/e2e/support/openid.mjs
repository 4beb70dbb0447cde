// OpenID provider on loopback for provider sign-in tests: `node openid.mjs <client> …`, where a client may name its
// redirect URI: `google=http://127.0.0.1:8080/auth/v1/callback`. Prints its issuer once it listens. Its page asks for
// the user; programs post the same form.
import OpenIdProvider from 'oidc-provider';
import { createServer } from 'node:http';

const SECRET = 'a-secret-that-only-the-tests-know';

/** @type {Map<string, Record<string, unknown>>} claims by subject */
const people = new Map();

const clients = process.argv.slice(2).map((client) => {
  const [client_id, redirect_uri = 'http://127.0.0.1/auth/v1/callback'] = client.split(/=(.*)/s);
  return {
    client_id,
    client_secret: SECRET,
    redirect_uris: [redirect_uri],
    // Some users get no refresh token, as with real providers.
    grant_types: ['authorization_code', ...(client_id === 'google' ? ['refresh_token'] : [])],
  };
});

const server = createServer();
await new Promise((listening) => server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new OpenIdProvider(issuer, {
  clients,
  pkce: { required: () => true },
  claims: {
    openid: ['sub', 'tid', 'xms_edov', 'nbf'],
    email: ['email', 'email_verified'],
    profile: ['name', 'given_name', 'family_name'],
  },
  // Claims come in the ID token or only from the userinfo endpoint.
  conformIdTokenClaims: process.env.CLAIMS_IN_TOKEN !== '1',
  issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, sub) => people.has(sub) && { accountId: sub, claims: () => ({ sub, ...people.get(sub) }) },
  cookies: { keys: ['only for tests'] },
  renderError: (ctx, out) => {
    ctx.type = 'text';
    ctx.body = `${out.error}: ${out.error_description}`;
  },
});

// The port of the portal is assigned by the system, so any port is allowed.
provider.Client.prototype.redirectUriAllowed = function (uri) {
  const { protocol, hostname, pathname } = new URL(uri);
  if (this.redirectUris.includes(uri)) return true;
  return protocol === 'http:' && hostname === '127.0.0.1' && pathname === '/auth/v1/callback';
};

const page = (uid) => `<!doctype html><html lang="en"><title>Test provider</title><body>
<h1>Test provider</h1>
<form method="post" action="/interaction/${uid}">
  <p><label>Email <input name="email" type="email" required></label></p>
  <p><label><input name="unverified" type="checkbox" value="1"> not verified</label></p>
  <p><button name="decision" value="allow">Continue</button> <button name="decision" value="deny" formnovalidate>Refuse</button></p>
</form></body></html>`;

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

async function interaction(request, response) {
  const { uid, params } = await provider.interactionDetails(request, response);
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page(uid));
    return;
  }
  const form = await body(request);
  if (form.get('decision') === 'deny') {
    await provider.interactionFinished(request, response, {
      error: 'access_denied',
      error_description: 'They would rather not',
    });
    return;
  }
  const email = form.get('email');
  const accountId = form.get('sub') ?? `sub-${email}`;
  const more = JSON.parse(form.get('claims') ?? '{}');
  people.set(accountId, {
    email,
    email_verified: !form.has('unverified'),
    name: form.get('name') ?? 'Test Person',
    ...more,
  });
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope('openid email profile');
  await provider.interactionFinished(request, response, {
    login: { accountId, remember: false },
    consent: { grantId: await grant.save() },
  });
}

const answer = provider.callback();
server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) return answer(request, response);
  interaction(request, response).catch((error) => {
    response.statusCode = 400;
    response.end(String(error));
  });
});

console.log(issuer);
// Exits with its parent process.
process.stdin.on('end', () => process.exit(0)).resume();
