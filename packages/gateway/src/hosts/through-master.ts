/*
 * Short commands of ours through a master: the sweep that ends what a command left, and the step that puts an environment onto a host.
 * They are children of this process and no runs: should it be killed, they end with their input.
 */
import { spawn } from 'node:child_process';
import { type Clock, onAbort, within } from '@clawdfather/kit';

export interface ThroughDeps {
  readonly clock: Clock;
  readonly shimPath: string;
  readonly socketPath: string;
}

export interface ThroughCommand {
  readonly execString: string;
  readonly stdin?: string | undefined;
  readonly limitMs: number;
  /* More is dropped. Default: one line is expected, and a login shell's noise may come before it. */
  readonly stdoutBytesMax?: number | undefined;
  /* Where the client says what happened; default nowhere. */
  readonly reportPath?: string | undefined;
}

/* Undefined: no answer in time, or no way to the host. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly bytes: Buffer;
}

/* For a session that is just ending, on a host that has no more of them. */
const retryMs = 1_000;
const stdoutBytesUsual = 64 * 1024;

export async function runThrough(
  { clock, shimPath, socketPath }: ThroughDeps,
  { execString, stdin = '', limitMs, reportPath, stdoutBytesMax }: ThroughCommand,
): Promise<Answer | undefined> {
  const child = spawn(shimPath, ['mux', socketPath], {
    env: {
      CLAWDFATHER_MUX_COMMAND: execString,
      CLAWDFATHER_MUX_RETRY_MS: String(retryMs),
      ...(reportPath === undefined ? {} : { CLAWDFATHER_MUX_REPORT: reportPath }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const pieces: Buffer[] = [];
  let left = stdoutBytesMax ?? stdoutBytesUsual;
  child.stdout.on('data', (bytes: Buffer) => {
    if (left > 0) pieces.push(bytes.subarray(0, left));
    left -= bytes.length;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const closed = new Promise<number | undefined>((resolve) => {
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => resolve(code ?? undefined));
  });
  const code = await within(closed, { clock, ms: limitMs, late: () => undefined });
  if (code !== undefined) {
    const bytes = Buffer.concat(pieces);
    return { code, stdout: bytes.toString('utf8'), bytes };
  }
  child.kill('SIGKILL');
  return undefined;
}

export interface StreamedCommand {
  readonly execString: string;
  readonly stdin: string;
  /* Of its standard output; the next piece is read when this one is taken. */
  readonly take: (piece: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}

/* For output that is larger than memory should hold. Its exit code; undefined: no way to the host, or it was lost. */
export async function streamThrough(
  { shimPath, socketPath }: Omit<ThroughDeps, 'clock'>,
  { execString, stdin, take, signal }: StreamedCommand,
): Promise<number | undefined> {
  const child = spawn(shimPath, ['mux', socketPath], {
    env: { CLAWDFATHER_MUX_COMMAND: execString, CLAWDFATHER_MUX_RETRY_MS: String(retryMs) },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const closed = new Promise<number | undefined>((resolve) => {
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => resolve(code ?? undefined));
  });
  const stopListening = onAbort(signal, () => child.kill('SIGKILL'));
  try {
    for await (const piece of child.stdout) await take(piece as Buffer);
    const code = await closed;
    signal.throwIfAborted();
    return code;
  } finally {
    stopListening();
    child.kill('SIGKILL');
  }
}

/* `CLF-SWEPT found left`, the last thing that the script says. */
export function parseSwept(
  stdout: string,
): { readonly found: number; readonly left: number } | undefined {
  const match = /^CLF-SWEPT ([0-9]{1,9}) ([0-9]{1,9})$/m.exec(stdout);
  return match === null ? undefined : { found: Number(match[1]), left: Number(match[2]) };
}
