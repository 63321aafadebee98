/*
 * `npm run budget`: how much of its budget the built app uses. Fails when it is too much; `--json` for programs.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatRows, isWithin, type Manifest, measureBuild } from './measure-build.ts';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

if (!existsSync(`${dist}/.vite/manifest.json`)) {
  process.stderr.write('the app is not built: npm run build:web\n');
  process.exit(1);
}
const rows = measureBuild({
  manifest: JSON.parse(readFileSync(`${dist}/.vite/manifest.json`, 'utf8')) as Manifest,
  page: readFileSync(`${dist}/index.html`, 'utf8'),
  bytesOf,
});
process.stdout.write(
  process.argv.includes('--json') ? `${JSON.stringify(rows)}\n` : formatRows(rows),
);
if (!rows.every(isWithin)) process.exit(1);

function bytesOf(path: string): number {
  // A link to nothing is a request all the same.
  const packed = `${dist}${path}.gz`;
  return (
    statSync(existsSync(packed) ? packed : `${dist}${path}`, { throwIfNoEntry: false })?.size ?? 0
  );
}
