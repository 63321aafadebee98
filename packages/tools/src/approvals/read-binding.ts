/*
 * Reads what an approval is bound to (binding.ts), at the request and again at the start.
 *
 * Nothing here hangs or has an effect. A path is looked at before it is opened, so that no device is; it is opened without waiting (a
 * pipe that took its place has no writer) and without following a last link, and what was opened is looked at once more. Files
 * that the kernel makes up (/proc, /sys, /dev) are passed over: they are another thing to every process. A dead mount
 * never answers, so all of it ends with the signal.
 */
import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { access, type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { unlessAborted } from '@clawdfather/kit';
import {
  boundBytesMax,
  boundFileBytesMax,
  boundFilesMax,
  unboundListedMax,
} from './approval-limits.ts';
import type { PresentState } from './binding.ts';
import type { ProposedAction } from './gatekeeper.ts';
import { namedPaths } from './named-paths.ts';
import { isInside } from './real-paths.ts';
import { isPrivate, type Seen, type SeenFiles } from './seen-files.ts';

export interface BindingQuestion {
  readonly action: Pick<ProposedAction, 'command' | 'cwd'>;
  readonly searchPath: string;
  /* Where the command finds what it names; undefined: where we do. */
  readonly seen?: SeenFiles | undefined;
  readonly signal: AbortSignal;
}

/* Undefined when the signal aborts first. */
export function readBinding(question: BindingQuestion): Promise<PresentState | undefined> {
  const read = readState(question);
  // After the signal nobody waits for it.
  read.catch(() => undefined);
  return unlessAborted(read, question.signal);
}

interface Reading {
  readonly seen: SeenFiles | undefined;
  readonly files: { path: string; at?: string; bytes: number; sha256: string }[];
  readonly unbound: { path: string; why: string }[];
  more: number;
  bytes: number;
}

async function readState(question: BindingQuestion): Promise<PresentState> {
  const { action, searchPath, seen, signal } = question;
  const directory = await directoryAt(action.cwd, seen);
  const named = namedPaths(action, searchPath);
  const reading: Reading = { seen, files: [], unbound: [], more: named.more, bytes: 0 };
  const paths = new Set<string>();
  for (const places of named.programs) {
    const program = await findExecutable(places, question);
    if (program !== undefined) paths.add(program);
  }
  for (const path of named.files) paths.add(path);
  for (const path of paths) {
    signal.throwIfAborted();
    if (paths.has(resolve(path)) && (await leadsWhereItReads(path, seen))) continue;
    take(reading, path, await lookAt(path, reading));
  }
  const { files, unbound, more } = reading;
  return { directory, files, unbound, more };
}

async function directoryAt(
  path: string,
  seen: SeenFiles | undefined,
): Promise<PresentState['directory']> {
  const place = await placeOf(path, seen);
  if (place.kind !== 'at') return undefined;
  // One that cannot be looked at can as little be entered.
  const found = await statOf(place.outside).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return undefined;
  return { device: String(found.dev), inode: String(found.ino) };
}

/* As execvp finds it. */
async function findExecutable(
  places: readonly string[],
  { seen, signal }: BindingQuestion,
): Promise<string | undefined> {
  for (const path of places) {
    signal.throwIfAborted();
    const place = await placeOf(path, seen);
    if (place.kind !== 'at') continue;
    const found = await statOf(place.outside).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    const isExecutable = await access(place.outside, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return path;
  }
  return undefined;
}

/* A path with `..` in it that leads to the same place without: no link is in the way, and the shorter one says all. */
async function leadsWhereItReads(path: string, seen: SeenFiles | undefined): Promise<boolean> {
  const folded = resolve(path);
  if (folded === path) return false;
  const [written, read] = [await realPlaceOf(path, seen), await realPlaceOf(folded, seen)];
  return written !== undefined && written === read;
}

async function realPlaceOf(path: string, seen: SeenFiles | undefined): Promise<string | undefined> {
  if (seen === undefined) return await realpath(path).catch(() => undefined);
  const place = await seen.find(path);
  return place.kind === 'at' ? place.inside : undefined;
}

type Look =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'file';
      /* Where it is for us, if the command finds another file there than we do. */
      readonly at?: string;
      readonly bytes: number;
      readonly sha256: string;
    }
  | { readonly kind: 'unbound'; readonly why: string };

const none: Look = { kind: 'none' };

function take(reading: Reading, path: string, look: Look): void {
  if (look.kind === 'file') {
    const { kind: _kind, ...file } = look;
    reading.files.push({ path, ...file });
    reading.bytes += look.bytes;
  } else if (look.kind === 'unbound') {
    if (reading.unbound.length < unboundListedMax) reading.unbound.push({ path, why: look.why });
    else reading.more += 1;
  }
}

const mebibyte = 1024 * 1024;
const whyLarge = `it is larger than ${boundFileBytesMax / mebibyte} MiB`;

/* Why it is not bound, by its size and by what is bound already. */
function whyNot(size: bigint, { files, bytes }: Reading): string | undefined {
  if (size > BigInt(boundFileBytesMax)) return whyLarge;
  if (files.length >= boundFilesMax) return `more than ${boundFilesMax} files are named`;
  if (BigInt(bytes) + size > BigInt(boundBytesMax)) {
    return `the files together are larger than ${boundBytesMax / mebibyte} MiB`;
  }
  return undefined;
}

const madeUp = ['/proc', '/sys', '/dev'];
/* Directories of a process, by which it names every other file: `/proc/self/cwd/x`. */
const ofProcess = /^\/(?:proc|dev)\/(?:.*\/)?(?:cwd|root|fd\/\d+)\/./;

async function lookAt(path: string, reading: Reading): Promise<Look> {
  if (ofProcess.test(path)) return { kind: 'unbound', why: 'it leads each process elsewhere' };
  // `/proc/../x` is elsewhere.
  if (resolve(path) === path && madeUp.some((tree) => isInside(path, tree))) return none;
  try {
    const seen = await placeOf(path, reading.seen);
    if (seen.kind === 'none') return none;
    if (seen.kind === 'unsure') return { kind: 'unbound', why: seen.why };
    const found = await statOf(seen.outside);
    if (found === undefined || !found.isFile()) return none;
    const why = whyNot(found.size, reading);
    if (why !== undefined) return { kind: 'unbound', why };
    const place = await realpath(seen.outside);
    if (madeUp.some((tree) => isInside(place, tree))) return none;
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
    await using handle = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    const opened = await handle.stat({ bigint: true });
    if (!opened.isFile()) return none;
    const whyNow = whyNot(opened.size, reading);
    if (whyNow !== undefined) return { kind: 'unbound', why: whyNow };
    const hashed = await hashOf(handle);
    const isElsewhere = hashed.kind === 'file' && isPrivate(seen);
    return isElsewhere ? { ...hashed, at: seen.outside } : hashed;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { kind: 'unbound', why: `it cannot be read (${code})` };
  }
}

async function placeOf(path: string, seen: SeenFiles | undefined): Promise<Seen> {
  return seen === undefined ? { kind: 'at', inside: path, outside: path } : await seen.find(path);
}

/* Undefined for what is not there. Throws for what cannot be looked at. */
async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // Most words are no names of files: too long, or with a file where a directory would have to be.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(code)) return undefined;
    throw error;
  }
}

/* To its end, and no further than a file may be long: it may grow meanwhile. */
async function hashOf(handle: FileHandle): Promise<Look> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(64 * 1024);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return { kind: 'file', bytes, sha256: hash.digest('hex') };
    bytes += bytesRead;
    if (bytes > boundFileBytesMax) return { kind: 'unbound', why: whyLarge };
    hash.update(buffer.subarray(0, bytesRead));
  }
}
