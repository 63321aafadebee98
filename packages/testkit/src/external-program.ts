/*
 * Programs of others that tests and benchmarks run, fetched when they are first needed.
 *
 * They are no devDependencies: the inspector alone brings a bundler and a user interface (110 MB), and everybody who
 * installs the project would wait for them. Each has a manifest and a lockfile of its own in `external`, so version
 * and hash of every file are pinned all the same; install scripts never run. What was fetched stays in the user's cache
 * directory under a name made of the lockfile's hash, so a new version is a new directory.
 *
 * Stages: look → install beside the place → rename into it. Two who race both install; one rename wins.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openPrivateDir } from '@clawdfather/kit/files';

export type ExternalProgram = 'inspector' | 'conformance' | 'desktop-commander';

const installFlags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];

/* The directory whose `node_modules` holds it. */
export async function fetchExternal(program: ExternalProgram): Promise<string> {
  const source = fileURLToPath(new URL(`../external/${program}`, import.meta.url));
  const lockfile = await readFile(join(source, 'package-lock.json'));
  const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 16);
  const base = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'clawdfather');
  const place = join(base, 'external', `${program}-${hash}`);
  // What lies there is run.
  openPrivateDir(
    join(base, 'external'),
    ({ path, why, cure }) => new Error(`${path}: ${why}: ${cure}`),
  );
  if (existsSync(place)) return place;

  const draft = await mkdtemp(`${place}-`);
  try {
    await cp(source, draft, { recursive: true });
    await promisify(execFile)('npm', installFlags, { cwd: draft });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Somebody else was quicker: what they installed is the same, by its hash.
    if (!existsSync(place)) throw new Error(`cannot fetch ${program}`, { cause: error });
  }
  return place;
}
