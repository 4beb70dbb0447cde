/** Styles (shell.css) of the shell in index.html: what is painted before the scripts, in the colors of the theme. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MantineTheme } from '@mantine/core';
import type { Plugin } from 'vite';
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

/** Puts the styles of the shell into the page, with the nonce of the policy. */
export function shell(): Plugin {
  return {
    name: 'shell',
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'style', attrs: { nonce: '__CSP_NONCE__' }, children: styles(), injectTo: 'head' },
      ],
    },
  };
}
