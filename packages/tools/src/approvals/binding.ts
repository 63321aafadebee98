/*
 * What an approval is bound to beside the command itself: which directory it was, and what was in the files that the command names.
 * It is recorded with the request, is a part of what the hash covers (A4), and is compared again at the start (A6).
 *
 * Equal content is no difference, whatever happened in between. A name that led to no file then and does now is one: otherwise a
 * script could be approved before it is written.
 */
import { type Bound, boundSchema } from '@clawdfather/protocol';

/* What is stored has every hash. */
export type Binding = Bound;

/* What is there now. */
export interface PresentState {
  /* Undefined: there is no such directory now. */
  readonly directory: Binding['directory'] | undefined;
  readonly files: Binding['files'];
  readonly unbound: Binding['unbound'];
  readonly more: number;
}

/* In a sentence; the rest is counted. */
const namedMax = 3;

export function formatBinding(binding: Binding): string {
  return JSON.stringify(binding);
}

/* Undefined for a text that is not ours. */
export function parseBinding(text: string): Binding | undefined {
  try {
    return boundSchema.safeParse(JSON.parse(text)).data;
  } catch {
    // Changed by others; its hash does not match either.
    return undefined;
  }
}

/* The end of a sentence that begins with nothing: `script.sh has changed, lib.sh has vanished`. Undefined when all is as it was. */
export function differenceOf(before: Binding, now: PresentState, cwd: string): string | undefined {
  const { device, inode } = before.directory;
  if (now.directory === undefined) return `${cwd} has vanished`;
  if (now.directory.device !== device || now.directory.inode !== inode) {
    return `${cwd} has become another directory`;
  }
  const found = [...changedFiles(before, now), ...newFiles(before, now)];
  if (found.length === 0) return undefined;
  const named = found
    .slice(0, namedMax)
    .map(({ path, how }) => `${shownPath(path, cwd)} has ${how}`);
  const rest = found.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more differ`] : [])].join(', ');
}

interface Difference {
  readonly path: string;
  readonly how: string;
}

function changedFiles(before: Binding, now: PresentState): readonly Difference[] {
  const files = new Map(now.files.map((file) => [file.path, file]));
  const unbound = new Map(now.unbound.map((file) => [file.path, file]));
  return before.files.flatMap(({ path, sha256 }) => {
    const file = files.get(path);
    if (file?.sha256 === sha256) return [];
    if (file !== undefined) return [{ path, how: 'changed' }];
    const left = unbound.get(path);
    return [{ path, how: left === undefined ? 'vanished' : `changed (${left.why})` }];
  });
}

/* What was there and not bound is not compared. */
function newFiles(before: Binding, now: PresentState): readonly Difference[] {
  const known = new Set([...before.files, ...before.unbound].map(({ path }) => path));
  // Of files beyond the limits nothing is known, so none of them is new.
  if (before.more > 0) return [];
  return [...now.files, ...now.unbound]
    .filter(({ path }) => !known.has(path))
    .map(({ path }) => ({ path, how: 'appeared' }));
}

function shownPath(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
