// Prints the licences of the npm packages in the web app: every production package of package-lock.json, with its text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const web = join(import.meta.dirname, '../../web');
const { packages } = JSON.parse(readFileSync(join(web, 'package-lock.json'), 'utf8'));
console.log('Licences of the npm packages in the web app.');
for (const [path, { dev, optional, version, license }] of Object.entries(packages)) {
  if (path === '' || dev || optional) continue;
  const name = path.split('node_modules/').at(-1);
  const file = readdirSync(join(web, path)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file ? readFileSync(join(web, path, file), 'utf8').trim() : `Licence: ${license}`;
  console.log(`\n${'='.repeat(80)}\n${name} ${version} (${license})\n${'-'.repeat(80)}\n${text}`);
}
