/*
 * OpenSSH's own client: through a master of its own (`ssh -S`, the basis of all ratios), and with a connection for each command.
 * Both are started from a small process (openssh-worker.ts).
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scope } from '@clawdfather/kit';
import { clock, type World } from '../world.ts';
import type { SshContender, Turn } from './contender.ts';
import { sshPath } from './run-ssh.ts';

export const multiplexed = 'ssh -S';
export const fresh = 'fresh ssh';

/* The login takes some hundredths of a second. */
const looksMax = 2_000;
const lookMs = 5;

export async function openMultiplexed(scope: Scope, world: World): Promise<SshContender> {
  const socketPath = join(world.directory, 'bare');
  const master = spawn(sshPath, ['-M', '-N', '-S', socketPath, ...world.sshArgs], {
    stdio: 'ignore',
  });
  endWith(scope, master);
  for (let look = 1; !existsSync(socketPath); look += 1) {
    if (look > looksMax || master.exitCode !== null) throw new Error('ssh -M did not start');
    await clock.sleep(lookMs);
  }
  return openWorker(scope, multiplexed, ['-S', socketPath, ...world.sshArgs, 'true']);
}

export function openFresh(scope: Scope, world: World): SshContender {
  return openWorker(scope, fresh, [...world.sshArgs, 'true']);
}

function openWorker(scope: Scope, name: string, args: readonly string[]): SshContender {
  const path = fileURLToPath(new URL('./openssh-worker.ts', import.meta.url));
  const worker = fork(path, args);
  endWith(scope, worker);
  const ask = async (message: object | string): Promise<unknown> => {
    worker.send(message);
    const [{ answer, error }] = (await once(worker, 'message')) as [
      { readonly answer?: unknown; readonly error?: string },
    ];
    if (error !== undefined) throw new Error(error);
    return answer;
  };
  return {
    name,
    once: async () => (await ask('once')) as number,
    turn: async (loop) => (await ask(loop)) as Turn,
  };
}

function endWith(scope: Scope, child: ChildProcess): void {
  const ended = once(child, 'exit');
  scope.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
}
