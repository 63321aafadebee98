/*
 * ssh2 of npm, where it can be found: it has an install script, so it is no dependency of this repository. One that was installed
 * elsewhere, without its scripts, is found by `NODE_PATH`.
 *
 * Its socket's delay is off: without that each command would wait for an acknowledgement of TCP's, some 40 ms.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Scope } from '@clawdfather/kit';
import type { World } from '../world.ts';
import { createHere, type SshContender } from './contender.ts';

const ssh2 = 'ssh2';

/* As much of it as is used here. */
interface Channel {
  on(event: 'close', heard: (code: number | null) => void): this;
  resume(): this;
  readonly stderr: { resume(): void };
}

interface Client {
  on(event: 'ready' | 'close', heard: () => void): this;
  on(event: 'error', heard: (error: Error) => void): this;
  connect(options: object): this;
  setNoDelay(isOn: boolean): this;
  exec(command: string, opened: (error: Error | undefined, channel: Channel) => void): void;
  end(): void;
}

/* Undefined: it is not installed. */
export async function openSsh2(scope: Scope, world: World): Promise<SshContender | undefined> {
  const module = load();
  if (module === undefined) return undefined;
  const client = new module.Client();
  const { host, port, user } = world.sshd;
  const privateKey = readFileSync(world.privateKeyPath);
  await new Promise<void>((resolve, reject) => {
    client.on('ready', resolve).on('error', reject);
    client.connect({ host, port, username: user, privateKey });
  });
  client.setNoDelay(true);
  scope.defer(async () => {
    const closed = new Promise<void>((resolve) => void client.on('close', resolve));
    client.end();
    await closed;
  });
  return createHere(ssh2, () => runOn(client));
}

function load(): { readonly Client: new () => Client } | undefined {
  const name: string = ssh2;
  try {
    return createRequire(import.meta.url)(name) as { readonly Client: new () => Client };
  } catch {
    return undefined;
  }
}

function runOn(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.exec('true', (error, channel) => {
      if (error !== undefined) return reject(error);
      channel.on('close', (code) =>
        code === 0 ? resolve() : reject(new Error(`it ended with ${code}`)),
      );
      channel.stderr.resume();
      channel.resume();
    });
  });
}
