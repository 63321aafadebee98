/*
 * Builds the app into packages/web/dist, and packs every text file beside it, so that the gateway packs nothing while it serves.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { type Build, buildIdOf } from '../src/worker/build-files.ts';
import { appConfig, workerConfig } from './app-config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

await build(await appConfig());
await build(await workerConfig(readBuild()));
packAll();

/* What the worker keeps: every file but the page, and pictures that only other programs look at. */
function readBuild(): Build {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const [script = ''] = /\/app\/[\w.-]+\.js/.exec(page) ?? [];
  const [style = ''] = /\/app\/[\w.-]+\.css/.exec(page) ?? [];
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:js|css|svg|webmanifest)$/.test(entry.name))
    .map(({ parentPath, name }) => `/${relative(dist, join(parentPath, name))}`)
    .filter((path) => path !== '/sw.js');
  return { id: buildIdOf(script, style), files: files.toSorted() };
}

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
