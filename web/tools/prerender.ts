/**
 * Renders the landing page at build time (src/prerender.tsx): `virtual:landing/en` and `virtual:landing/es` export its
 * HTML, and import its styles.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type Rolldown } from 'vite';

const PREFIX = 'virtual:landing/';
const root = fileURLToPath(new URL('..', import.meta.url));
/** Below node_modules, where the packages are found. */
const folder = join(root, 'node_modules/.prerender');

interface Renderer {
  renderLanding(catalogue: string): Promise<string>;
}

/** Exports of the virtual modules by catalogue. */
async function renderPages(): Promise<Map<string, string>> {
  const { output } = (await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [react()],
    build: { ssr: 'src/prerender.tsx', write: false, rolldownOptions: { output: { codeSplitting: false } } },
  })) as Rolldown.RolldownOutput;
  const [chunk] = output;
  const file = join(folder, 'landing.mjs');
  await mkdir(folder, { recursive: true });
  await writeFile(file, chunk.code);
  const renderer = (await import(`${pathToFileURL(file).href}?${Date.now()}`)) as Renderer;
  await rm(folder, { recursive: true });
  const styles = chunk.moduleIds.filter((id) => id.endsWith('.css'));
  const names = styles.map((_style, index) => `style${index}`);
  const imports = styles.map((style, index) => `import ${names[index]} from ${JSON.stringify(style)};`);
  const pages = new Map<string, string>();
  // In turn: the renderer has one current language.
  for (const catalogue of ['en', 'es']) {
    const html = await renderer.renderLanding(catalogue);
    // Exported, or the bundler would drop the imports.
    const exports = [
      `export const styles = [${names.join()}];`,
      `export const html = ${JSON.stringify(html)};`,
    ];
    pages.set(catalogue, [...imports, ...exports].join('\n'));
  }
  return pages;
}

export function prerender(): Plugin {
  let isBuild = false;
  let pages: ReturnType<typeof renderPages> | undefined;
  return {
    name: 'prerender',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    async load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return null;
      if (!isBuild) return "export const html = '';";
      pages ??= renderPages();
      return (await pages).get(id.slice(PREFIX.length + 1)) ?? null;
    },
  };
}
