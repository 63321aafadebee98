/*
 * What of a master is let into a shield, where a person has allowed it: a directory with a socket that speaks as the control socket
 * does, and the configuration of passengers. Nothing else of the master's directory is in it: neither the way to the signer nor its reports.
 *
 * The control socket itself is not let in, because the master is outside the shield, and would forward whatever is here: Unix sockets as
 * that of docker, ports as the gateway's. A process of its own stands between, the shim's `door`, and passes sessions on and nothing else
 * (docs/protocol/mux.md). It ends with the master, whether a gateway is there or not.
 *
 * Taken away before, it opens no new session; those that are open go on.
 */
import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';
import { formatPassengerConfig } from './master-command.ts';
import type { MasterPlace } from './master-place.ts';

export interface AgentDoor {
  readonly directory: string;
  readonly socketPath: string;
  readonly configPath: string;
}

/* Where the same is, seen from another place. */
export function agentDoorIn(directory: string): AgentDoor {
  return { directory, socketPath: join(directory, 's'), configPath: join(directory, 'passenger') };
}

/* More than once is harmless. Undefined: the master is just ending, and there is nothing to let in. */
export async function openAgentDoor(
  place: MasterPlace,
  shimPath: string,
): Promise<AgentDoor | undefined> {
  const door = doorOf(place);
  try {
    await mkdir(door.directory, { mode: 0o700 });
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    if (!hasErrno(error, 'EEXIST')) throw error;
  }
  await writeFile(door.configPath, formatPassengerConfig(), { mode: 0o600 });
  const isOpen = await startDoor(shimPath, [door.directory, place.socketPath]);
  return isOpen ? door : undefined;
}

export async function closeAgentDoor(place: MasterPlace): Promise<void> {
  await rm(doorOf(place).socketPath, { force: true });
}

function doorOf({ directory }: MasterPlace): AgentDoor {
  return agentDoorIn(join(directory, 'in'));
}

/* It says a word once it listens; from then on it is nobody's child to wait for. */
function startDoor(shimPath: string, words: readonly string[]): Promise<boolean> {
  const child = spawn(shimPath, ['door', ...words], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.unref();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', () => {
      child.stdout.destroy();
      resolve(true);
    });
    child.stdout.once('end', () => resolve(false));
  });
}
