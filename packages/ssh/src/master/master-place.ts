/*
 * The directory of one attempt to open a master: its configuration, the pin, public keys, the report of our programs, the control
 * socket. Made anew for each attempt, so that no stale socket can be met: ssh would go on without one.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatHostKey, type HostKey } from '../pins/host-key.ts';
import { formatMasterConfig, type MasterConfig } from './config-text.ts';
import { formatPassengerConfig } from './master-command.ts';

export interface MasterPlace {
  readonly directory: string;
  readonly socketPath: string;
  readonly configPath: string;
  /* For people's own ssh, through this master. */
  readonly passengerPath: string;
  readonly reportPath: string;
  readonly pinPath: string;
}

/* The kernel takes 107 bytes for a socket, and ssh adds 17 while it makes it. */
export const socketPathBytesMax = 90;

export function masterPlaceIn(directory: string): MasterPlace {
  return {
    directory,
    socketPath: join(directory, 'm'),
    configPath: join(directory, 'config'),
    passengerPath: join(directory, 'passenger'),
    reportPath: join(directory, 'report'),
    pinPath: join(directory, 'pin'),
  };
}

export interface PlaceContent
  extends Pick<
    MasterConfig,
    'connectionId' | 'address' | 'port' | 'user' | 'shimPath' | 'signerPath' | 'connectSeconds'
  > {
  readonly pin: HostKey | undefined;
  /* Lines of `authorized_keys`, one or two, in the order in which they are offered. */
  readonly publicKeys: readonly string[];
}

export async function fillMasterPlace(place: MasterPlace, content: PlaceContent): Promise<void> {
  const { pin, publicKeys, ...config } = content;
  const { reportPath, pinPath } = place;
  const [publicKeyPath = '', nextKeyPath] = publicKeys
    .map((_, index) => publicPath(place, index))
    .reverse();
  const paths = { reportPath, pinPath, publicKeyPath, nextKeyPath };
  const text = formatMasterConfig({ ...config, pin, ...paths });
  // 0600 also for what is public: ssh complains of a private key that others can read.
  const mode = 0o600;
  await mkdir(place.directory, { recursive: true, mode: 0o700 });
  await Promise.all([
    writeFile(place.configPath, text, { mode }),
    writeFile(place.passengerPath, formatPassengerConfig(), { mode }),
    writeFile(reportPath, '', { mode }),
    writeFile(pinPath, pin === undefined ? '' : `${formatHostKey(pin)}\n`, { mode }),
    ...publicKeys.map((line, index) => writeFile(publicPath(place, index), `${line}\n`, { mode })),
  ]);
}

/* After the login: what is left is what the live master and its passengers use. */
export async function clearLogin(place: MasterPlace, keys: number): Promise<void> {
  for (let index = 0; index < keys; index += 1) {
    await rm(publicPath(place, index), { force: true });
  }
}

function publicPath({ directory }: MasterPlace, index: number): string {
  return join(directory, `key-${index}.pub`);
}
