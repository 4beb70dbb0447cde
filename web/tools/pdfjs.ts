import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const require = createRequire(import.meta.url);
const home = dirname(require.resolve('pdfjs-dist/package.json'));
const { version } = require('pdfjs-dist/package.json') as { version: string };

/** CMaps, standard fonts and the decoder licence. Color profiles need WebAssembly. */
const folders = {
  cmaps: /\.bcmap$|^LICENSE/,
  standard_fonts: /\.(pfb|ttf)$|^LICENSE/,
  wasm: /^LICENSE.*_OPENJPEG$/,
};

/** Versioned directory instead of hashes: pdf.js requests fixed names. */
const base = `assets/pdfjs-${version}`;

/** Vite plugin: serves the files that pdf.js fetches by name from our origin. */
export function pdfjsFiles(): Plugin {
  const files = Object.entries(folders).flatMap(([folder, wanted]) =>
    readdirSync(join(home, folder))
      .filter((name) => wanted.test(name))
      .map((name) => ({ path: `${base}/${folder}/${name}`, from: join(home, folder, name) })),
  );
  return {
    name: 'pdfjs-files',
    generateBundle() {
      for (const { path, from } of files)
        this.emitFile({ type: 'asset', fileName: path, source: readFileSync(from) });
    },
    configureServer(server) {
      server.middlewares.use(`/${base}`, (request, response, next) => {
        const [folder = '', name = ''] = (request.url ?? '').split('/').slice(1);
        const from = join(home, basename(folder), basename(name));
        if (!(folder in folders) || !existsSync(from)) return next();
        createReadStream(from).pipe(response);
      });
    },
  };
}

/** Import of the JPEG 2000 decoder without WebAssembly in the pdf.js worker. */
const loadsDecoder = /await import\(\s*\/\*webpackIgnore: true\*\/\s*\/\*@vite-ignore\*\/\s*path\)/;

/** Vite plugin: bundles the decoder into the worker, whose CSP blocks fetching it. */
export function pdfjsDecoder(): Plugin {
  return {
    name: 'pdfjs-decoder',
    enforce: 'pre',
    transform(code, id) {
      if (!/pdfjs-dist\/build\/pdf\.worker\.mjs/.test(id)) return null;
      if (!loadsDecoder.test(code)) throw new Error(`${id} loads its JPEG 2000 decoder in another way`);
      const decoder = JSON.stringify('pdfjs-dist/wasm/openjpeg_nowasm_fallback.js');
      return {
        code: `import * as openjpegWithoutWasm from ${decoder};\n${code.replace(loadsDecoder, 'openjpegWithoutWasm')}`,
        map: null,
      };
    },
  };
}
