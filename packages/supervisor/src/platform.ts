/*
 * What differs between operating systems, behind one narrow interface.
 *
 * Linux is complete. macOS and Windows refuse clearly until their shim exists (S5): a supervisor that could not
 * keep its promises there must not pretend to.
 */
import { SupervisorError } from './errors.ts';
import { type Host, readHost } from './evidence/host.ts';
import { createProcProcessTable, type ProcessTable } from './evidence/process-table.ts';

export interface Platform {
  readonly name: string;
  /* Boot, namespace and identity of this process (O5). */
  readonly readHost: () => Host;
  readonly createProcessTable: () => ProcessTable;
}

const linux: Platform = {
  name: 'linux',
  readHost: () => readHost(),
  createProcessTable: () => createProcProcessTable(),
};

const platforms: readonly Platform[] = [linux];

export function selectPlatform(name: string): Platform {
  const found = platforms.find((platform) => platform.name === name);
  if (found !== undefined) return found;
  throw new SupervisorError('platform-unsupported', `there is no shim for ${name} yet`, {
    detail: { platform: name },
    hint: 'Run the supervisor on Linux; from other systems reach it over SSH.',
  });
}
