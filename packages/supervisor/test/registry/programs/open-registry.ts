/*
 * What the child programs of the registry's tests have in common: a registry on
 * the directory named by the first argument, with this process as an owner.
 */
import { argv } from 'node:process';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { readHost } from '../../../src/evidence/host.ts';
import type { OwnerHandle } from '../../../src/registry/owners.ts';
import { openRegistry } from '../../../src/registry/registry.ts';
import type { Registry } from '../../../src/registry/registry.ts';
import { openStateDir } from '../../../src/registry/state-dir.ts';

export interface OpenedHere {
  readonly registry: Registry;
  readonly owner: OwnerHandle;
}

export async function openHere(path = argv[2] ?? ''): Promise<OpenedHere> {
  const host = readHost();
  const registry = await openRegistry({
    stateDir: await openStateDir(path),
    clock: createSystemClock(),
    random: createSystemRandom(),
    bootId: host.bootId,
    bootMs: () => host.bootMs(),
  });
  const { owner } = await registry.openOwner(host);
  return { registry, owner };
}
