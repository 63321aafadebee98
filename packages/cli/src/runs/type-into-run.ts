/*
 * A person types into a run of any kind: its keys depend on what the program has asked
 * its terminal for, which is read from its output.
 */
import type { Clock } from '@clawdfather/kit';
import type { ManagedRun, RunRecord, Supervisor } from '@clawdfather/supervisor';
import {
  openScreenFollower,
  type ScreenLook,
  type TerminalModes,
} from '@clawdfather/tools/terminal';
import { CliError } from '../errors.ts';
import { runEnded, shortId } from './find-run.ts';

/* As a terminal is before any program has asked for something; and for runs on pipes, which have none. */
const plainModes: TerminalModes = {
  applicationCursor: false,
  applicationKeypad: false,
  bracketedPaste: false,
};

/* A program that does not read for so long will not; a longer wait would look like a hang of ours. */
const acceptMs = 10_000;

export async function modesOf(run: ManagedRun, record: RunRecord): Promise<TerminalModes> {
  return record.mode === 'child' ? plainModes : (await lookAt(run)).modes;
}

export async function lookAt(run: ManagedRun): Promise<ScreenLook> {
  const follower = openScreenFollower(run);
  try {
    return await follower.look();
  } finally {
    await follower.close();
  }
}

export async function attachLiving(supervisor: Supervisor, record: RunRecord): Promise<ManagedRun> {
  if (record.exit !== undefined) throw runEnded(record);
  return supervisor.attach(record.runId);
}

export function noTerminal(record: RunRecord): CliError {
  const id = shortId(record);
  return new CliError('not-a-terminal', `run ${id} has no terminal`, {
    hint: `It was started without --pty. What it said: clf logs ${id}`,
    detail: { runId: record.runId },
  });
}

/* The shim keeps what it has taken; only the waiting ends. */
export async function typeInto(run: ManagedRun, bytes: Uint8Array, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = clock.timer(acceptMs, () => late.reject(blocked(run)));
  const written = run.write(bytes);
  // Heard below, unless nobody waits any more.
  written.catch(() => {});
  try {
    await Promise.race([written, late.promise]);
  } finally {
    timer.cancel();
  }
}

function blocked(run: ManagedRun): CliError {
  const id = shortId(run);
  return new CliError('input-blocked', `run ${id} does not read its input`, {
    hint: `What was taken is delivered when it reads again. Look at it: clf attach ${id}`,
    detail: { runId: run.runId },
  });
}
