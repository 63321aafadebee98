/*
 * Builds the app into packages/web/dist, and packs every text file beside it, so that the gateway packs nothing while it serves.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { appConfig } from './app-config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

await build(await appConfig());
packAll();

function packAll(): void {
  for (const { parentPath, name } of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    // Pictures are packed already.
    if (!/\.(?:js|css|html|svg|webmanifest)$/.test(name)) continue;
    const path = join(parentPath, name);
    const plain = readFileSync(path);
    const packed = {
      br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
      gz: gzipSync(plain, { level: 9 }),
    };
    for (const [ending, bytes] of Object.entries(packed)) {
      if (bytes.length < plain.length) writeFileSync(`${path}.${ending}`, bytes);
    }
  }
}
