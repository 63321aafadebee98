/*
 * What npm has put there, by its own lockfile: every package with its hash, and the pinned ones in their versions.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PinnedPackage } from '../catalogue/agent-entry.ts';
import { AgentsError } from '../errors.ts';

export interface ReadLockfile {
  readonly lockfile: Readonly<Record<string, string>>;
  readonly integrity: string;
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
}

export function readLockfile(draft: string, pins: readonly PinnedPackage[]): ReadLockfile {
  // The hidden one lists what is there; the other one also has the builds for other machines.
  const { packages } = JSON.parse(
    readFileSync(join(draft, 'node_modules/.package-lock.json'), 'utf8'),
  ) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  for (const { name, version } of pins) {
    const found = packages[`node_modules/${name}`]?.version;
    if (found !== version)
      throw incomplete(`${name} ${version} was not installed`, { name, found });
  }
  const lockfile: Record<string, string> = {};
  for (const path of Object.keys(packages).toSorted()) {
    const integrity = packages[path]?.integrity;
    if (integrity === undefined) throw incomplete(`npm has no hash of ${path}`, { path });
    lockfile[path] = integrity;
  }
  const digest = createHash('sha256').update(JSON.stringify(lockfile)).digest('hex');
  return { lockfile, integrity: `sha256-${digest}` };
}

export function incomplete(
  message: string,
  detail: Readonly<Record<string, unknown>>,
): AgentsError {
  return new AgentsError('install-incomplete', message, {
    detail,
    hint: 'try again; if it stays, the registry lacks a package for this machine',
  });
}
