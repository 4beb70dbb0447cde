import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { chunkNames } from './tools/chunks';
import { firstErrors } from './tools/firstErrors';
import { prerender } from './tools/prerender';
import { pureCalls } from './tools/pureCalls';
import { shell } from './tools/shell';
import { pdfjsDecoder, pdfjsFiles } from './tools/pdfjs';

const server = process.env.SPV_DEV_API ?? 'http://127.0.0.1:8080';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** Its exports name the development build for every bundler. */
const router = (name: string) => file(`node_modules/react-router/dist/production/${name}`);

export default defineConfig({
  // Relative URLs: the server puts the base path before those of index.html.
  base: './',
  plugins: [react(), firstErrors(), prerender(), pureCalls(), shell(), pdfjsFiles(), pdfjsDecoder()],
  worker: { format: 'es', plugins: () => [pdfjsDecoder()] },
  optimizeDeps: { exclude: ['pdfjs-dist'] },
  resolve: {
    alias: [
      { find: '@catalogue', replacement: file('../domain/messages') },
      { find: /^react-router$/, replacement: router('index.mjs') },
      { find: /^react-router\/dom$/, replacement: router('dom-export.mjs') },
    ],
  },
  // The server replaces this with a new nonce in every HTML response.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    // light-dark() is left to the browser; a lower target would rewrite it.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    cssCodeSplit: true,
    // No data: URLs, so the CSP needs no `img-src data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ debugName: 'pages', name: chunkNames(file('src')) }],
        },
      },
    },
  },
  server: {
    fs: { allow: ['..'] },
    proxy: Object.fromEntries(
      ['/rest', '/auth/v1', '/realtime', '/functions', '/storage'].map((path) => [path, { target: server }]),
    ),
  },
  test: { environment: 'node', include: ['src/**/*.test.ts'] },
});
