/** `errors.json?first`: the messages that a page may show before the whole catalogue of refusals is loaded. */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

const codes = ['internal', 'session_not_found', 'unavailable', 'unreachable'];
const QUERY = '?first';

export function firstErrors(): Plugin {
  return {
    name: 'first-errors',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith(`errors.json${QUERY}`)) return null;
      const all = JSON.parse(await readFile(id.slice(0, -QUERY.length), 'utf8')) as Record<string, string>;
      const missing = codes.find((code) => !all[code]);
      if (missing) throw new Error(`${id} has no message ${missing}`);
      const messages = Object.fromEntries(codes.map((code) => [code, all[code]]));
      return { code: `export default ${JSON.stringify(messages)};`, moduleType: 'js' };
    },
  };
}
