/*
 * The registry, and this process as an owner in it (O1); or, where the disk takes nothing, a copy of it in memory.
 *
 * A registry may open without a byte being written, and still not take the owner's row; so both are tried before the disk is
 * found to be full. A caller that asked to `look` then gets the copy. It is the owner in that copy only: no shim and no
 * other process hears of it.
 */
import type { SupervisorError } from '../errors.ts';
import { diskRefusalOf } from '../registry/disk-refusal.ts';
import type { OwnerHandle, OwnerProcess } from '../registry/owners.ts';
import {
  openRegistry,
  openRegistryCopy,
  type Registry,
  type RegistryDeps,
} from '../registry/registry.ts';

export interface OwnerDeps extends RegistryDeps {
  readonly self: OwnerProcess;
  readonly whenUnwritable: 'refuse' | 'look';
}

export interface OpenedRegistry {
  readonly registry: Registry;
  readonly owner: OwnerHandle;
  /* Why the registry is a copy; undefined when it is the file. */
  readonly unwritable: SupervisorError | undefined;
}

export async function openOwner(deps: OwnerDeps): Promise<OpenedRegistry> {
  try {
    return { ...(await register(await openRegistry(deps), deps.self)), unwritable: undefined };
  } catch (error) {
    const unwritable = diskRefusalOf(error, deps.stateDir.path);
    if (unwritable === undefined) throw error;
    if (deps.whenUnwritable === 'refuse') throw unwritable;
    return { ...(await register(openRegistryCopy(deps), deps.self)), unwritable };
  }
}

async function register(
  registry: Registry,
  self: OwnerProcess,
): Promise<Pick<OpenedRegistry, 'registry' | 'owner'>> {
  try {
    return { registry, owner: (await registry.openOwner(self)).owner };
  } catch (error) {
    await registry.close();
    throw error;
  }
}
