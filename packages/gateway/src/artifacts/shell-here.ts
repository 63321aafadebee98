/*
 * A shell on this machine, as another Unix user with that user's id and group and none of the gateway's groups, and with nothing of the
 * gateway's environment.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onAbort } from '@clawdfather/kit';
import type { HostUser } from '@clawdfather/supervisor';
import { TreeError } from './artifact-tree.ts';
import type { RunShell } from './shell-tree.ts';

/* Undefined: as the gateway's own user. */
export function createShellHere(user: Pick<HostUser, 'uid' | 'gid'> | undefined): RunShell {
  return async ({ argv: [, ...args], take, signal }) => {
    const child = spawn('/bin/sh', args, {
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
      // What it starts is ended with it.
      detached: true,
    });
    const exited = once(child, 'close');
    // Awaited below; until then a start that failed is no mistake of ours.
    exited.catch(() => {});
    const end = (): void => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    };
    const stopListening = onAbort(signal, end);
    try {
      for await (const piece of child.stdout) await take(piece as Buffer);
      await exited;
      signal.throwIfAborted();
      return child.exitCode ?? 1;
    } catch (error) {
      end();
      if (child.pid === undefined) throw new TreeError('unreadable', { cause: error });
      throw error;
    } finally {
      stopListening();
    }
  };
}
