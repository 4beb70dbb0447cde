import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { chunkNames } from './tools/chunks';
import { shell } from './tools/shell';
import { pdfjsDecoder, pdfjsFiles } from './tools/pdfjs';

const server = process.env.SPV_DEV_API ?? 'http://127.0.0.1:8080';

export default defineConfig({
  // Relative URLs: the server puts the base path before those of index.html.
  base: './',
  plugins: [react(), shell(), pdfjsFiles(), pdfjsDecoder()],
  worker: { format: 'es', plugins: () => [pdfjsDecoder()] },
  optimizeDeps: { exclude: ['pdfjs-dist'] },
  resolve: {
    alias: { '@catalogue': fileURLToPath(new URL('../domain/messages', import.meta.url)) },
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
          groups: [{ debugName: 'pages', name: chunkNames(fileURLToPath(new URL('src', import.meta.url))) }],
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
