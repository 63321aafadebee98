/*
 * What `screen`, `send-keys` and `paste` do with a run of this machine. Which bytes a key sends depends on what the program has
 * asked its terminal for, and that is read from its output.
 */
import { type Clock, within } from '@clawdfather/kit';
import type { ScreenResult } from '@clawdfather/protocol';
import type { ManagedRun } from '@clawdfather/supervisor';
import {
  encodeKeys,
  encodePaste,
  type KeyInput,
  type KeyModes,
  openScreenFollower,
  type ScreenLook,
  type TerminalModes,
} from '@clawdfather/tools/terminal';
import { CliError, usageError } from '../errors.ts';
import type { PasteResult, Run } from '../place/place.ts';
import { shortId } from './find-run.ts';
import { noTerminal } from './run-refusals.ts';

/* As a terminal is before any program has asked for something; and for runs on pipes, which have none. */
const plainModes: TerminalModes = {
  applicationCursor: false,
  applicationKeypad: false,
  bracketedPaste: false,
};

/* A program that does not read for so long will not; a longer wait would look like a hang of ours. */
const acceptMs = 10_000;

export interface Typing {
  readonly handle: ManagedRun;
  readonly run: Run;
  readonly clock: Clock;
}

export async function lookAtScreen(handle: ManagedRun, run: Run): Promise<ScreenResult> {
  if (run.mode === 'child') throw noTerminal(run, '');
  const { screen } = await lookAt(handle);
  const { cols, rows, lines, cursor, title, isAlternate } = screen;
  const isRunning = run.exit === undefined;
  return { runId: run.runId, cols, rows, lines: [...lines], cursor, title, isAlternate, isRunning };
}

/* Throws for a word that is no key, whatever the program has asked its terminal for. */
export function checkKeys(input: KeyInput): void {
  encode(input, plainModes);
}

/* Literal text and bytes come first, then the keys. */
export async function sendKeys(typing: Typing, input: KeyInput): Promise<number> {
  const isOnPipes = typing.run.mode === 'child';
  const bytes = encode(input, { ...(await modesOf(typing)), isOnPipes });
  await typeInto(typing.handle, bytes, typing.clock);
  return bytes.length;
}

export async function paste(typing: Typing, text: string): Promise<PasteResult> {
  const { bracketedPaste: isBracketed } = await modesOf(typing);
  const bytes = encodePaste(text, { isBracketed, isTerminal: typing.run.mode !== 'child' });
  await typeInto(typing.handle, bytes, typing.clock);
  return { bytes: bytes.length, isBracketed };
}

/* The shim keeps what it has taken; only the waiting ends. */
export async function typeInto(run: ManagedRun, bytes: Uint8Array, clock: Clock): Promise<void> {
  const late = (): never => {
    throw blocked(run);
  };
  await within(run.write(bytes), { clock, ms: acceptMs, late });
}

async function modesOf({ handle, run }: Typing): Promise<TerminalModes> {
  return run.mode === 'child' ? plainModes : (await lookAt(handle)).modes;
}

async function lookAt(handle: ManagedRun): Promise<ScreenLook> {
  const follower = openScreenFollower(handle);
  try {
    return await follower.look();
  } finally {
    await follower.close();
  }
}

function encode(input: KeyInput, modes: KeyModes): Uint8Array {
  const encoded = encodeKeys(input, modes);
  if (encoded.ok) return encoded.bytes;
  const { problem, suggestion } = encoded;
  const text = 'Text is typed with -l: clf send-keys RUN -l TEXT Enter';
  throw usageError(
    problem,
    suggestion === undefined ? text : `Did you mean ${suggestion}? ${text}`,
  );
}

function blocked(run: ManagedRun): CliError {
  const id = shortId(run);
  return new CliError('input-blocked', `run ${id} does not read its input`, {
    hint: `What was sent so far is delivered when the run reads again. Look at it: clf attach ${id}`,
    detail: { runId: run.runId },
  });
}
