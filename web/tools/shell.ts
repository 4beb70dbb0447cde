/** Styles (shell.css) of the shell in index.html: what is painted before the scripts, in the colors of the theme. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MantineTheme } from '@mantine/core';
import type { HtmlTagDescriptor, Plugin } from 'vite';
import { cssVariables } from '../src/theme';

const file = fileURLToPath(new URL('shell.css', import.meta.url));

/** Declarations of the variables that the styles use. */
function declarations(variables: Record<string, string>, css: string): string {
  return Object.entries(variables)
    .filter(([name]) => css.includes(`var(${name})`))
    .map(([name, value]) => `${name}:${value}`)
    .join(';');
}

function styles(): string {
  const css = readFileSync(file, 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};:,]) ?/g, '$1');
  const { variables, light, dark } = cssVariables({} as MantineTheme);
  const darkScheme = `:root[data-mantine-color-scheme='dark']{color-scheme:dark;${declarations(dark, css)}}`;
  return `:root{${declarations({ ...variables, ...light }, css)}}${darkScheme}${css}`;
}

/** Preload of the font of both languages: text is drawn in it at once, and does not move. */
function fontPreload(bundle: Record<string, unknown> = {}): HtmlTagDescriptor[] {
  const font = Object.keys(bundle).find((name) => /\/inter-main-[^/]+\.woff2$/.test(name));
  const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `./${font}`, crossorigin: '' };
  return font ? [{ tag: 'link', attrs, injectTo: 'head' }] : [];
}

/** Chunks of every page but the landing page, for public/scheme.js. */
function appChunks(bundle: Record<string, { type: string; name?: string }> = {}): string {
  const isApp = ({ type, name = '' }: { type: string; name?: string }) =>
    type === 'chunk' && (name === 'core' || name === 'app');
  return Object.entries(bundle)
    .flatMap(([file, chunk]) => (isApp(chunk) ? [`/${file}`] : []))
    .join(' ');
}

/** Puts the styles of the shell into the page, with the nonce of the policy, and the preload of its font. */
export function shell(): Plugin {
  return {
    name: 'shell',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => ({
        html: html.replace('src="./scheme.js"', `$& data-app="${appChunks(bundle)}"`),
        tags: [
          ...fontPreload(bundle),
          { tag: 'style', attrs: { nonce: '__CSP_NONCE__' }, children: styles(), injectTo: 'head' },
        ],
      }),
    },
  };
}
