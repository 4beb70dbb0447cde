/** Settings of a portal whose URL has a domain, which passkeys need; the others have an IP address. */
import { freePort } from './process';

export async function onLocalhost(): Promise<NodeJS.ProcessEnv> {
  const port = await freePort();
  return { SPV_LISTEN: `127.0.0.1:${port}`, SPV_PUBLIC_URL: `http://localhost:${port}` };
}
