/*
 * Whether another user can change the code that we run: the program itself, and the directory with compiled code, which the
 * launcher (bin/clawdfather.cjs) uses only if no other user can have put anything there. At a start it says nothing when
 * it does without; here it is told.
 */
import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { geteuid } from 'node:process';
import { fileURLToPath } from 'node:url';
import { errnoOf } from '@clawdfather/kit';
import { findUnsafe, shellWord, type Unsafe } from '@clawdfather/kit/files';
import type { Finding } from './finding.ts';

const launcherPath = fileURLToPath(new URL('../../bin/clawdfather.cjs', import.meta.url));

/* Where a program lies is its owner's choice, so it is told and not refused. */
export function checkProgram(paths: readonly string[] = [launcherPath, process.execPath]): Finding {
  const check = 'program';
  const [unsafe] = paths.map(findUnsafe).filter((found) => found !== undefined);
  if (unsafe === undefined) return { check, status: 'ok', summary: launcherPath };
  const summary = `another user can change the program that you run: ${unsafe.path}: ${unsafe.why}`;
  return { check, status: 'warn', summary, advice: unsafe.cure };
}

/* `usedDir`: what Node uses in this process; undefined when it uses none. */
export function checkCodeCache(
  env: Readonly<Record<string, string | undefined>>,
  usedDir: string | undefined,
): Finding {
  const check = 'code-cache';
  if (usedDir !== undefined) return { check, status: 'ok', summary: usedDir };
  const own = env['XDG_CACHE_HOME'] ?? '';
  const base = isAbsolute(own) ? own : join(homedir(), '.cache');
  const path = join(base, 'clawdfather', 'code');
  const slow = 'so compiled code is not kept, and every start takes longer';
  const unsafe = findUnsafeOrHidden(dirname(path));
  if (unsafe !== undefined) {
    const summary = `${unsafe.path}: ${unsafe.why}, ${slow}`;
    return { check, status: 'warn', summary, advice: unsafe.cure };
  }
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    const advice = `mkdir -p -m 700 ${shellWord(path)}`;
    return { check, status: 'warn', summary: `${path} cannot be made, ${slow}`, advice };
  }
  const isOurs = found.isDirectory() && found.uid === geteuid?.();
  const why = isOurs ? 'was open to others' : 'is not a directory of yours';
  // What is in it may be theirs, so closing it is not enough.
  const advice = `rm -r ${shellWord(path)}; the next start makes it anew`;
  return { check, status: 'warn', summary: `${path} ${why}, ${slow}`, advice };
}

/* What we may not even look at is somebody else's. */
function findUnsafeOrHidden(path: string): Unsafe | undefined {
  try {
    return findUnsafe(path);
  } catch (error) {
    const why = `it cannot be looked at (${errnoOf(error) ?? 'unknown'})`;
    return { path, why, cure: `ls -ld ${shellWord(dirname(path))} ${shellWord(path)}` };
  }
}
