/*
 * Where a shielded command finds the files that it names, worked out from the steps of its shield: a walk along the path, part by part,
 * as the kernel does it in that namespace.
 *
 * A link in a private /tmp that leads to /tmp/x leads to the private one again, and a link in the working tree may lead there. So
 * every link is followed by us, and each part is looked at in the place that the steps give it.
 */
import { lstatSync, readlinkSync } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '@clawdfather/kit';
import type { ShieldStep } from '@clawdfather/supervisor';
import { isInside } from '../approvals/real-paths.ts';
import type { Seen, SeenFiles } from '../approvals/seen-files.ts';

/* As many as the kernel follows. */
const linksMax = 40;

export function createSeenFiles(steps: readonly ShieldStep[]): SeenFiles {
  const mounts = steps.flatMap(mountsOf);
  return {
    find: async (path) => {
      const walk = walkAlong(path, mounts);
      let next = walk.next();
      while (next.done !== true) next = walk.next(await look(next.value));
      return next.value;
    },
    findNow: (path) => {
      const walk = walkAlong(path, mounts);
      let next = walk.next();
      while (next.done !== true) next = walk.next(lookNow(next.value));
      return next.value;
    },
  };
}

type Mount =
  | { readonly kind: 'hide' | 'keep'; readonly path: string }
  | Extract<ShieldStep, { kind: 'replace' }>;

/* The others change what can be done with a file, not which file it is. */
function mountsOf(step: ShieldStep): readonly Mount[] {
  if (step.kind === 'replace') return [step];
  const { kind, path } = step;
  return kind === 'hide' || kind === 'keep' ? [{ kind, path }] : [];
}

type Look =
  | { readonly kind: 'there'; readonly isDirectory: boolean }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unknown'; readonly code: string };

/* Yields what is to be looked at, as we call it. */
function* walkAlong(path: string, mounts: readonly Mount[]): Generator<string, Seen, Look> {
  let inside = '/';
  let isDirectory = true;
  let links = 0;
  const rest = partsOf(path).reverse();
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part === '..') {
      if (!isDirectory) return { kind: 'none' };
      inside = dirname(inside);
      continue;
    }
    const next = join(inside, part);
    const outside = outsideOf(next, mounts);
    const found = outside === undefined ? nothing : yield outside;
    if (found.kind === 'unknown') return unsure(`${next} cannot be looked at (${found.code})`);
    if (found.kind === 'nothing' && !isMadeFor(next, mounts)) return { kind: 'none' };
    if (found.kind !== 'link') {
      inside = next;
      isDirectory = found.kind === 'nothing' || found.isDirectory;
      continue;
    }
    // Links of the kernel are another thing to every process.
    if (isInside(next, '/proc')) return unsure(`${next} leads each process elsewhere`);
    links += 1;
    if (links > linksMax) return { kind: 'none' };
    if (found.target.startsWith('/')) inside = '/';
    rest.push(...partsOf(found.target).reverse());
  }
  const outside = outsideOf(inside, mounts);
  return outside === undefined ? { kind: 'none' } : { kind: 'at', inside, outside };
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/* The last step that covers it decides. Undefined: it is hidden. `inside` has no links in it. */
function outsideOf(inside: string, mounts: readonly Mount[]): string | undefined {
  const mount = mounts.findLast(({ path }) => isInside(inside, path));
  if (mount?.kind === 'replace') return join(mount.source, inside.slice(mount.path.length));
  return mount?.kind === 'hide' ? undefined : inside;
}

/* A directory that the shield makes for what is let in below it. */
function isMadeFor(inside: string, mounts: readonly Mount[]): boolean {
  return mounts.some(({ kind, path }) => kind !== 'hide' && isInside(path, inside));
}

const nothing: Look = { kind: 'nothing' };

async function look(path: string): Promise<Look> {
  try {
    const found = await lstat(path);
    if (!found.isSymbolicLink()) return { kind: 'there', isDirectory: found.isDirectory() };
    return { kind: 'link', target: await readlink(path) };
  } catch (error) {
    return failed(error);
  }
}

function lookNow(path: string): Look {
  try {
    // Without exceptions: most directories of a search path do not have the program.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return nothing;
    if (!found.isSymbolicLink()) return { kind: 'there', isDirectory: found.isDirectory() };
    return { kind: 'link', target: readlinkSync(path) };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Look {
  const code = errnoOf(error) ?? 'unknown';
  // Most words are no names of files: too long, or with a file where a directory would have to be.
  if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) return nothing;
  return { kind: 'unknown', code };
}

function unsure(why: string): Seen {
  return { kind: 'unsure', why };
}
