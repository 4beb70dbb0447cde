import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { pdfjsDecoder, pdfjsFiles } from './tools/pdfjs';

interface ModuleGraph {
  getModuleInfo(id: string): { importers: readonly string[]; isEntry: boolean } | null;
}

const landingPackages = [
  /node_modules\/(react|react-dom|scheduler)\//,
  /@mantine\/core\/esm\/core\/(MantineProvider|factory|utils)\//,
  /@mantine\/hooks\/esm\/use-(color-scheme|isomorphic-effect|media-query)/,
  /@tabler\/.*\/(createReactComponent|defaultAttributes)/,
];

/** Own modules reached from main.tsx without a dynamic import. */
function isLanding(id: string, graph: ModuleGraph, seen = new Set<string>()): boolean {
  if (id.includes('node_modules') || seen.has(id)) return false;
  seen.add(id);
  const module = graph.getModuleInfo(id);
  return (
    module !== null &&
    (module.isEntry || module.importers.some((importer) => isLanding(importer, graph, seen)))
  );
}

const server = process.env.SPV_DEV_API ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), pdfjsFiles(), pdfjsDecoder()],
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
          // Two files for the landing page, packages and own code: many small ones compress badly.
          groups: [
            { name: 'base', test: (id) => landingPackages.some((pattern) => pattern.test(id)) },
            { name: (id, graph) => (isLanding(id, graph) ? 'landing' : null) },
          ],
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
