/*
 * What every contender can do: start a command, hand over its output, take input, kill it.
 *
 * Each is used the way its own documentation shows. All of them read the output to its end before a command counts
 * as done.
 */
export const contenderNames = [
  'supervisor',
  'supervisor-pty',
  'supervisor-kept',
  'supervisor-shielded',
  'child_process',
  'child_process-group',
  'execa',
  'node-pty',
] as const;
export type ContenderName = (typeof contenderNames)[number];

export type Argv = readonly [string, ...string[]];

export interface Started {
  readonly pid: number;
  /* Settles when the command has ended and its output has been handed over. */
  readonly ended: Promise<void>;
  write(text: string): void;
  /* Asks for the end, in the contender's own way. */
  kill(): void;
}

export interface Contender {
  /* A short command, from start to end, as one would write it. */
  run(argv: Argv): Promise<void>;
  start(argv: Argv, onOutput: (bytes: Uint8Array) => void): Promise<Started>;
  close(): Promise<void>;
}

/* The same for all, and small: what is measured is not the copying of an environment. */
export const commandEnv: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin', LANG: 'C' };

export const ignoreOutput = (): void => {};

/* For those who have no shorter way. */
export async function runToEnd(start: Contender['start'], argv: Argv): Promise<void> {
  const started = await start(argv, ignoreOutput);
  await started.ended;
}
