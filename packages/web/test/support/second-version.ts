/*
 * A second version of the command, whose app has other names of files: the bundle again, beside another copy of the built app. What is in the
 * files is the same, so both versions work.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../..', import.meta.url));

export interface SecondVersion extends Disposable {
  readonly launcher: string;
  /* Addresses of the script of each version's app. */
  readonly entries: { readonly first: string; readonly second: string };
}

export function makeSecondVersion(): SecondVersion {
  const root = mkdtempSync(join(tmpdir(), 'clf-second-'));
  const cli = join(root, 'packages', 'cli');
  mkdirSync(cli, { recursive: true });
  cpSync(join(packages, 'cli', 'bin'), join(cli, 'bin'), { recursive: true });
  cpSync(join(packages, 'cli', 'package.json'), join(cli, 'package.json'));
  // Copied and not linked: the bundle finds the app by its own real path.
  const bundle = realpathSync(join(packages, 'cli', 'dist', 'bundle'));
  cpSync(bundle, join(cli, 'dist', 'bundle'), { recursive: true });
  symlinkSync(join(packages, 'shim'), join(root, 'packages', 'shim'));
  const dist = join(root, 'packages', 'web', 'dist');
  cpSync(join(packages, 'web', 'dist'), dist, { recursive: true });
  const [, name = ''] =
    /\/app\/(index-[\w-]{8})\.js/.exec(readFileSync(join(dist, 'index.html'), 'utf8')) ?? [];
  renameIn(dist, name, 'index-second--');
  return {
    launcher: join(cli, 'bin', 'clawdfather.cjs'),
    entries: { first: `/app/${name}.js`, second: '/app/index-second--.js' },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/* In names and in texts. Packed copies would have the old texts, so they go. */
function renameIn(directory: string, from: string, to: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (/\.(?:br|gz)$/.test(entry.name)) {
      rmSync(path);
      continue;
    }
    if (!/\.(?:js|css|html)$/.test(entry.name)) continue;
    const text = readFileSync(path, 'utf8').replaceAll(from, to);
    if (entry.name.includes(from)) rmSync(path);
    writeFileSync(join(entry.parentPath, entry.name.replace(from, to)), text);
  }
}
