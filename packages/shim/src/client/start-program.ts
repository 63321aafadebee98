/*
 * Starts the shim's program with descriptor 3 as a stream socket to us.
 *
 * Detached: in a session of its own, so that no signal meant for us reaches it
 * (T7). It inherits nothing but its log: a spawnd that kept our stderr open
 * would keep a reader of it waiting for ever. Its environment is empty unless
 * given, and its directory is the root, which holds no mount busy.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { Socket } from 'node:net';
import { binaryNames } from '../binary-names.ts';
import { ShimError } from '../errors.ts';

export interface ProgramDeps {
  readonly binaryPath: string;
  /* Where it writes what it has to say about itself. Absent: nowhere. */
  readonly logFd?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface StartedProgram {
  readonly child: ChildProcess;
  readonly socket: Socket;
}

/* Throws `shim-missing` or `shim-start-failed`; later failures end the socket. */
export function startProgram(command: 'spawnd' | 'direct', deps: ProgramDeps): StartedProgram {
  checkBinary(deps.binaryPath);
  const child = spawn(deps.binaryPath, [command], {
    // The path may be that of a descriptor, which says nothing to who lists processes.
    argv0: binaryNames.release,
    cwd: '/',
    detached: true,
    env: { ...deps.env },
    stdio: ['ignore', 'ignore', deps.logFd ?? 'ignore', 'pipe'],
  });
  /* A failed start has no pid, and after a start the link's end tells all there is to know. */
  child.on('error', () => {});
  const socket = child.stdio[3];
  if (child.pid === undefined || !(socket instanceof Socket)) {
    throw new ShimError('shim-start-failed', 'the system could not start another process', {
      detail: { binaryPath: deps.binaryPath },
      hint: 'Look at the limits of processes, open files and memory.',
    });
  }
  child.unref();
  return { child, socket };
}

function checkBinary(binaryPath: string): void {
  try {
    accessSync(binaryPath, constants.X_OK);
  } catch (cause) {
    throw new ShimError('shim-missing', 'the shim has not been built', {
      cause,
      detail: { binaryPath },
      hint: 'Run "npm run build:shim" in the repository; it needs a C compiler.',
    });
  }
}
