/*
 * The ping channel: one small session through a master, `cat` on the host, that says whether the host still answers. ssh's own
 * keepalive tells nobody what was missed, and a master answers for itself when its host is gone.
 *
 * It is a child of ours and no run: should we be killed, its input ends, and with it the client and the `cat` on the host. The next
 * gateway opens one of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';

export interface PingChannel extends AsyncDisposable {
  /* Sends one; opens the channel first, if there is none. */
  ping(): void;
}

export interface PingDeps {
  readonly shimPath: string;
  readonly socketPath: string;
  /* Anything that came back from the host. */
  readonly heard: () => void;
}

/* For a master that has stopped: it is asked again with the next ping. */
const openMs = 30_000;

export function createPingChannel({ shimPath, socketPath, heard }: PingDeps): PingChannel {
  let child: ChildProcess | undefined;
  const open = (): ChildProcess => {
    const started = spawn(shimPath, ['mux', socketPath], {
      env: { CLAWDFATHER_MUX_COMMAND: 'exec cat', CLAWDFATHER_MUX_OPEN_MS: String(openMs) },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    // A channel that cannot be had is one whose answers are missed.
    started.on('error', () => {});
    started.stdin.on('error', () => {});
    started.stdout.on('data', heard);
    started.on('close', () => {
      if (child === started) child = undefined;
    });
    return started;
  };
  return {
    ping: () => {
      child ??= open();
      child.stdin?.write('.\n');
    },
    [Symbol.asyncDispose]: async () => {
      const closing = child;
      child = undefined;
      if (closing === undefined || closing.exitCode !== null || closing.signalCode !== null) return;
      const closed = new Promise<void>((resolve) => closing.on('close', () => resolve()));
      closing.kill('SIGKILL');
      await closed;
    },
  };
}
