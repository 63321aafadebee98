/*
 * A run in the foreground on pipes: `clf run -- cmd` behaves like `cmd`.
 *
 * Stages: pump output, pump input, pass signals on; then the exit decides our
 * own. Some things end the watching early:
 *   - nobody reads our stdout any more: the run is ended, as SIGPIPE would have
 *     ended it, and we exit 141;
 *   - the terminal is lost (HUP), or the person presses the detach key twice: the run goes on, we leave;
 *   - a signal the run died of and that we were sent as well: we die of it too,
 *     so that the calling shell stops its loop.
 */
import { type Clock, hasCode, type Timer } from '@clawdfather/kit';
import type { OutputEvent, RunExit } from '@clawdfather/supervisor';
import { CliError } from '../errors.ts';
import {
  codeStatus,
  type ExitStatus,
  exitCodeOf,
  exitOk,
  exitOwnError,
  signalExitCode,
} from '../exit-status.ts';
import { type Io, isReaderGone } from '../io/io.ts';
import { isSystemError } from '../render/error-text.ts';
import { formatExitNotice } from '../render/exit-text.ts';
import { exitJson, jsonLine } from '../render/run-json.ts';
import { signalsForHosts } from '../hosts/signals-for-hosts.ts';
import type { Run, RunHandle } from '../place/place.ts';
import { isOnHost } from '../render/run-table.ts';
import { formatDetached } from './leaving-text.ts';
import { detachKeyText } from '../terminal/detach-key.ts';
import { waitForTree } from './end-run.ts';
import { pumpInput } from './input-pump.ts';
import { createOutputWriter } from './output-writer.ts';
import { openForwarding } from './signal-forwarding.ts';
import { shortId } from './find-run.ts';

export interface ForegroundOptions {
  readonly run: RunHandle;
  /* What follows `clf COMMAND` to mean the place where the run is. */
  readonly placeFlag: string;
  readonly io: Io;
  readonly clock: Clock;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /* False: the run has no stdin of ours. */
  readonly isInputPumped: boolean;
  readonly actor: string;
  /* The setting. */
  readonly detachKey: string;
  /* What `--grace` asked for. */
  readonly graceMs: number | undefined;
  /* Sees every event before it is shown: the answerer of a terminal run. */
  readonly observe?: (event: OutputEvent) => Promise<void>;
  /* Changes what is shown; the query filter of a terminal run. */
  readonly shape?: (event: Extract<OutputEvent, { kind: 'output' }>) => Uint8Array;
}

/* A command that handles an interrupt well is gone by then. */
const hintMs = 300;

/* How long a command that has said its last is given to be recorded as ended. */
const settleMs = 300;

type PumpEnd = 'finished' | 'reader-gone' | 'left';

export async function watchForeground(options: ForegroundOptions): Promise<ExitStatus> {
  const { run, io } = options;
  const leaving = new AbortController();
  let leftBy: NodeJS.Signals | 'detach-key' = 'SIGHUP';
  /* The run has ended and only a slow reader keeps us here. */
  let isOver = false;
  let hint: Timer | undefined;
  const settled = run.wait().finally(() => {
    isOver = true;
  });
  // Looked at below, unless we leave before.
  settled.catch(() => {});
  using forwarding = openForwarding({
    run,
    signals: io.signals,
    clock: options.clock,
    actor: options.actor,
    graceMs: options.graceMs,
    onInterrupt: () => {
      // Most commands end at once; only those that do not need to be explained.
      hint?.cancel();
      hint = options.clock.timer(hintMs, () => void sayHint(options));
    },
    onHangup: () => leaving.abort(),
    isOver: () => isOver,
    onImpatience: (name) => {
      leftBy = name;
      leaving.abort();
    },
  });
  const inputStop = new AbortController();
  const onDetach = (): void => {
    leftBy = 'detach-key';
    leaving.abort();
  };
  const input = options.isInputPumped
    ? pumpInput({ ...options, signal: inputStop.signal, onDetach })
    : Promise.resolve();
  try {
    const pumpEnd = await Promise.race([pumpOutput(options, leaving.signal), left(leaving.signal)]);
    if (pumpEnd === 'left') return await leave(options, isOver, leftBy);
    if (pumpEnd === 'reader-gone') {
      await run.cancel('manual-cancel', 'cli:epipe');
      await settled;
      await endTree(options);
      return codeStatus(signalExitCode('SIGPIPE') ?? exitOwnError);
    }
    const exit = await settled;
    if (forwarding.isEnding) {
      // One more signal is still for the run, and makes this shorter.
      isOver = false;
      await endTree(options);
    }
    const status = statusOf(run.snapshot(), exit, forwarding.received);
    await report(options, exit, status);
    return status;
  } catch (error) {
    // Our stdout is on a full disk, say. That is no reason to end anybody's work. A short command is over by now.
    await Promise.race([settled.catch(() => {}), options.clock.sleep(settleMs)]);
    if (!isOver && !isRemoved(error)) await sayGoesOn(options);
    throw isSystemError(error) ? outputUnwritable(error, options) : error;
  } finally {
    hint?.cancel();
    inputStop.abort();
    await input;
  }
}

/* Somebody has ended it and forgotten it, here or at its gateway, where a missing run is said to be not found. */
function isRemoved(error: unknown): boolean {
  if (hasCode(error, 'run-not-found')) return true;
  return hasCode(error, 'request-refused') && 'refusal' in error && isNotFound(error.refusal);
}

function isNotFound(refusal: unknown): boolean {
  return typeof refusal === 'object' && refusal !== null && 'code' in refusal
    ? refusal.code === 'not_found'
    : false;
}

function outputUnwritable(cause: unknown, { run, placeFlag }: ForegroundOptions): CliError {
  return new CliError('output-unwritable', 'the output of the run cannot be written to stdout', {
    cause,
    hint: `The whole output is kept: clf logs${placeFlag} ${shortId(run)}`,
  });
}

/* T4: the run settles with its root, and what was ended is the whole tree. */
async function endTree({ run, io, clock, graceMs }: ForegroundOptions): Promise<void> {
  const { isGone } = await waitForTree(run, clock, graceMs).catch(() => ({ isGone: true }));
  if (!isGone) await say(io, `run ${shortId(run)} still has living processes, see clf doctor`);
}

/* A write that nobody reads cannot be called back; leaving does not wait for it. */
function left(signal: AbortSignal): Promise<PumpEnd> {
  const { promise, resolve } = Promise.withResolvers<PumpEnd>();
  signal.addEventListener('abort', () => resolve('left'), { once: true });
  return promise;
}

async function leave(
  options: ForegroundOptions,
  isOver: boolean,
  by: NodeJS.Signals | 'detach-key',
): Promise<ExitStatus> {
  // The terminal has shown the keys, and its cursor stands behind them.
  if (by === 'detach-key') await options.io.stderr.write('\n').catch(() => {});
  if (!isOver) await sayGoesOn(options);
  return by === 'detach-key' ? codeStatus(exitOk) : { kind: 'signal', signal: by };
}

async function sayGoesOn({ io, run, placeFlag }: ForegroundOptions): Promise<void> {
  await io.stderr.write(`${formatDetached(run, placeFlag)}\n`).catch(() => {});
}

async function sayHint(options: ForegroundOptions): Promise<void> {
  const { io, run, isQuiet } = options;
  if (!io.stderr.isTerminal || isQuiet) return;
  const key = detachKeyText(options.detachKey);
  const canLeave = options.isInputPumped && io.stdin.isTerminal && key !== undefined;
  const how = canLeave ? `; ${key} leaves it running` : '';
  await say(io, `interrupted; once more within 2 s ends run ${shortId(run)}${how}`);
}

async function pumpOutput(options: ForegroundOptions, signal: AbortSignal): Promise<PumpEnd> {
  const writer = createOutputWriter({ ...options });
  try {
    // Whoever observes may keep the bytes for a while; we are done with them when they are written.
    const { run, observe } = options;
    const events =
      observe === undefined ? run.outputLent(undefined, signal) : run.output(undefined, signal);
    for await (const event of events) {
      await observe?.(event);
      await writer.write(event);
    }
  } catch (error) {
    if (signal.aborted) return 'left';
    // A lost terminal says EIO before the HUP arrives.
    if (isReaderGone(error)) return options.io.isTerminalLost() ? 'left' : 'reader-gone';
    throw error;
  }
  return signal.aborted ? 'left' : 'finished';
}

async function report(
  options: ForegroundOptions,
  exit: RunExit,
  status: ExitStatus,
): Promise<void> {
  const { io, run } = options;
  if (options.isJson) {
    await io.stdout.write(jsonLine({ type: 'exit', id: run.runId, exit: exitJson(exit) }));
    return;
  }
  // Whoever sent us the signal need not be told that it worked.
  const notice =
    status.kind === 'signal' ? undefined : formatExitNotice(exit, run.snapshot().deadlines);
  if (notice !== undefined) await say(io, `run ${shortId(run)} ${notice}`);
  // A run that was told to end, or to end what it leaves, takes the rest of its tree along.
  const isKept = run.snapshot().leftovers === 'keep';
  const isEndedByItself = exit.reason === 'exit' || exit.reason === 'signal';
  if (exit.leftovers.length > 0 && isKept && isEndedByItself && !options.isQuiet) {
    const names = exit.leftovers.map((one) => `${one.comm} (${one.pid})`).join(', ');
    await say(
      io,
      `run ${shortId(run)} ended and left running: ${names}; end them with: clf kill${options.placeFlag} ${shortId(run)}`,
    );
  }
}

/* The convention of shells: die of the signal that both of us got. */
function statusOf(run: Run, exit: RunExit, received: ReadonlySet<NodeJS.Signals>): ExitStatus {
  const signal = [...received].find(
    (name) => name === exit.signal || isEndedOnHost(run, exit, name),
  );
  const isShared = signal !== undefined && (exit.reason === 'signal' || exit.reason === 'exit');
  return isShared ? { kind: 'signal', signal } : codeStatus(exitCodeOf(exit));
}

/* ssh has no word for the signal that ended a command, only this code. */
const noCodeOfHost = 255;

function isEndedOnHost(run: Run, { code }: RunExit, name: NodeJS.Signals): boolean {
  return isOnHost(run) && code === noCodeOfHost && signalsForHosts.has(name);
}

/* Our own words go to stderr, and a closed stderr is no reason to fail. */
async function say(io: Pick<Io, 'stderr'>, text: string): Promise<void> {
  await io.stderr.write(`clf: ${text}\n`).catch(() => {});
}
