/*
 * What is at the places of a plan, as one short text that differs when anything was replaced, removed or has come.
 *
 * A mount is on a file or directory, not on its name. When another file is moved to the name, or the first one is removed, the
 * kernel takes the mount away, and what is at the name then is neither hidden nor read-only.
 */
import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import type { ShieldStep } from '@clawdfather/supervisor';

export async function readIdentities(steps: readonly ShieldStep[]): Promise<string> {
  const paths = steps.map((step) => (step.kind === 'replace' ? step.source : step.path));
  const parts = await Promise.all(paths.map(identityOf));
  // What is mounted later does not come into what is read-only as a whole, so it is made anew with it.
  const isReadOnly = steps.some(({ kind, path }) => kind === 'read-only' && path === '/');
  if (isReadOnly) parts.push(await readFile('/proc/self/mountinfo', 'utf8'));
  const all = JSON.stringify([steps, parts]);
  return createHash('sha256').update(all).digest('hex');
}

/* The kernel gives the number of a file that is gone to the next one, so the time at which it was made belongs to it. */
async function identityOf(path: string): Promise<string> {
  try {
    const { dev, ino, birthtimeNs } = await lstat(path, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    // Not there, or not for us to see; when that changes, this does.
    return '';
  }
}
