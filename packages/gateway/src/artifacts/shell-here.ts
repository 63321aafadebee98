/*
 * A shell on this machine as another Unix user: with that user's id and group, none of the gateway's groups, and nothing of its environment.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onAbort } from '@clawdfather/kit';
import type { HostUser } from '@clawdfather/supervisor';
import { TreeError } from './artifact-tree.ts';
import type { RunShell } from './shell-tree.ts';

export function createShellHere({ uid, gid }: Pick<HostUser, 'uid' | 'gid'>): RunShell {
  return async ({ argv: [, ...args], take, signal }) => {
    const child = spawn('/bin/sh', args, {
      uid,
      gid,
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
