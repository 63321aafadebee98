/*
 * `clf attach` to a run on pipes: its output from the beginning, our input into
 * it. The run is not ours, so leaving never ends it: INT, TERM, HUP, the detach key
 * and a reader that went away only detach.
 *
 * The end of our input is passed on only from a terminal, where a person pressed
 * Ctrl-D. `echo yes | clf attach RUN` sends a line and leaves the input open.
 */
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitCodeOf, exitOk } from '../exit-status.ts';
import { isReaderGone } from '../io/io.ts';
import { listenForLeave } from '../io/leave-signals.ts';
import type { RunHandle } from '../place/place.ts';
import { formatExitNotice } from '../render/exit-text.ts';
import { shortId } from './find-run.ts';
import { detachKeyText } from '../terminal/detach-key.ts';
import { pumpInput } from './input-pump.ts';
import { formatDetached, formatHowToLeave } from './leaving-text.ts';
import { createOutputWriter } from './output-writer.ts';

export interface FollowOptions {
  /* What follows `clf COMMAND` to mean its place. */
  readonly placeFlag: string;
  /* How to leave is not mentioned. */
  readonly isQuiet: boolean;
}

export async function followPipes(
  context: CommandContext,
  run: RunHandle,
  { placeFlag, isQuiet }: FollowOptions,
): Promise<ExitStatus> {
  const { io } = context;
  const write = (text: string): Promise<void> => io.stderr.write(`${text}\n`).catch(() => {});
  using signals = listenForLeave(io);
  if (io.stderr.isTerminal && !isQuiet) await write(formatHowToLeave(run, leavingKeys(context)));
  const detached = new AbortController();
  const leave = AbortSignal.any([signals.signal, detached.signal]);
  const inputStop = new AbortController();
  const end = io.stdin.isTerminal ? (): Promise<void> => run.end() : async (): Promise<void> => {};
  const send = (data: string | Uint8Array): Promise<void> => run.write(data);
  const input = pumpInput({
    run: { write: send, end },
    io,
    clock: context.clock,
    signal: inputStop.signal,
    detachKey: context.config.values.detachKey,
    onDetach: () => detached.abort(),
  });
  try {
    const isEnded = await showAll(context, run, leave);
    if (!isEnded) {
      // A terminal has shown the keys, and its cursor stands behind them.
      if (io.stdin.isTerminal) await write('');
      await write(formatDetached(run, placeFlag));
      return codeStatus(exitOk);
    }
    const exit = await run.wait();
    const notice = formatExitNotice(exit, run.snapshot().deadlines);
    if (notice !== undefined) await write(`clf: run ${shortId(run)} ${notice}`);
    return codeStatus(exitCodeOf(exit));
  } finally {
    inputStop.abort();
    await input;
  }
}

/* The detach key is one only where somebody can press it. */
function leavingKeys({ io, config }: CommandContext): readonly string[] {
  const key = io.stdin.isTerminal ? detachKeyText(config.values.detachKey) : undefined;
  return [...(key === undefined ? [] : [key]), 'Ctrl-C'];
}

/* False when we left before its end. */
async function showAll(
  context: CommandContext,
  run: RunHandle,
  signal: AbortSignal,
): Promise<boolean> {
  const writer = createOutputWriter({ io: context.io, isJson: context.isJson });
  try {
    for await (const event of run.output(undefined, signal)) await writer.write(event);
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted || isReaderGone(error)) return false;
    throw error;
  }
}
