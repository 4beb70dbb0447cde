import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const server = process.env.SPV_DEV_API ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: { '@catalogue': fileURLToPath(new URL('../domain/messages', import.meta.url)) },
  },
  // The server puts a fresh nonce in place of this text into every HTML answer.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    // light-dark() is left to the browser; a lower target would rewrite it.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    cssCodeSplit: true,
    // No data: URLs, so that the policy needs no `img-src data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    fs: { allow: ['..'] },
    proxy: Object.fromEntries(
      ['/rest', '/auth/v1', '/realtime', '/functions', '/storage'].map((path) => [path, { target: server }]),
    ),
  },
  test: { environment: 'node', include: ['src/**/*.test.ts'] },
});
