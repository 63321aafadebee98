/*
 * `npm run bundle`: the command line and the gateway as a few files, in packages/cli/dist/bundle. `npm ci` makes it too.
 *
 * The sources are 900 modules with what they import. Finding, reading and linking them is most of what a start costs; joined, and
 * with Node's cache of compiled code, it is a fraction. The launcher runs the bundle while it is made of the sources as they are.
 *
 * Stages:
 *   1. A file notes the time: what changes from now on may not be in the bundle, and the launcher looks at that.
 *   2. The modules are joined into a directory of their own.
 *   3. The link `bundle` is made to lead there in one step, so that a command that starts meanwhile finds the old one or the new.
 *   4. Old bundles are removed, but for the last few: a gateway that runs from one still loads parts of it.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { joinModules } from './join-modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'packages/cli/dist');
const oldBundlesKept = 4;

const name = `bundle-${Date.now().toString(36)}-${process.pid}`;
mkdirSync(join(dist, name), { recursive: true });
writeFileSync(join(dist, name, 'made'), '');
await joinModules(root, join(dist, name));
switchTo(name);
removeOld();

function switchTo(target: string): void {
  const link = join(dist, 'bundle');
  const draft = `${link}.${process.pid}`;
  symlinkSync(target, draft);
  // An earlier version made a directory of that name, which no link can take the place of.
  const isDirectory = lstatSync(link, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isDirectory) rmSync(link, { recursive: true });
  renameSync(draft, link);
}

function removeOld(): void {
  const bundles = readdirSync(dist).filter(
    (entry) => entry.startsWith('bundle-') && entry !== name,
  );
  // Their names begin with the time.
  for (const old of bundles.sort().slice(0, -oldBundlesKept)) {
    rmSync(join(dist, old), { recursive: true, force: true });
  }
}
