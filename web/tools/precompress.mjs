// Precompresses the build: writes .br (brotli 11) and .gz beside every text file, too slow on the fly.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const dir = process.argv[2] ?? 'dist';
const text = /\.(m?js|css|html|svg|json|txt|webmanifest)$/;
const worthIt = 512;

const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter(
  (entry) => entry.isFile() && text.test(entry.name) && entry.name !== 'index.html',
);
await Promise.all(
  files.map(async (entry) => {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const raw = await readFile(path);
    if (raw.length < worthIt) return;
    const br = await promisify(brotliCompress)(raw, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
    });
    await Promise.all([
      writeFile(`${path}.br`, br),
      writeFile(`${path}.gz`, await promisify(gzip)(raw, { level: 9 })),
    ]);
  }),
);
console.log(`precompressed ${files.length} files`);
