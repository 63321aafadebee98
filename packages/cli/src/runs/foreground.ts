/*
 * A run in the foreground on pipes: `clf run -- cmd` behaves like `cmd`.
 *
 * Stages: pump output, pump input, pass signals on; then the exit decides our
 * own. Three things end the watching early:
 *   - nobody reads our stdout any more: the run is ended, as SIGPIPE would have
 *     ended it, and we exit 141;
 *   - the terminal is lost (HUP): the run goes on, we leave;
 *   - a signal the run died of and that we were sent as well: we die of it too,
 *     so that the calling shell stops its loop.
 */
import type { Clock } from '@clawdfather/kit';
import type { ManagedRun, OutputEvent, RunExit } from '@clawdfather/supervisor';
import { codeStatus, type ExitStatus, exitCodeOf, signalExitCode } from '../exit-status.ts';
import { type Io, isReaderGone } from '../io/io.ts';
import { formatExitNotice } from '../render/exit-text.ts';
import { exitJson, jsonLine } from '../render/run-json.ts';
import { pumpInput } from './input-pump.ts';
import { createOutputWriter } from './output-writer.ts';
import { openForwarding } from './signal-forwarding.ts';
import { shortId } from './find-run.ts';

export interface ForegroundOptions {
  readonly run: ManagedRun;
  readonly io: Io;
  readonly clock: Clock;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /* False: the run has no stdin of ours. */
  readonly isInputPumped: boolean;
  readonly actor: string;
  /* Sees every event before it is shown: the answerer of a terminal run. */
  readonly observe?: (event: OutputEvent) => Promise<void>;
  /* Changes what is shown; the query filter of a terminal run. */
  readonly shape?: (event: Extract<OutputEvent, { kind: 'output' }>) => Uint8Array;
}

type PumpEnd = 'finished' | 'reader-gone' | 'left';

export async function watchForeground(options: ForegroundOptions): Promise<ExitStatus> {
  const { run, io } = options;
  const leaving = new AbortController();
  using forwarding = openForwarding({
    run,
    signals: io.signals,
    clock: options.clock,
    actor: options.actor,
    onInterrupt: () => {
      if (io.stderr.isTerminal && !options.isQuiet) {
        void say(io, `interrupted; once more within 2 s ends run ${shortId(run)}`);
      }
    },
    onHangup: () => leaving.abort(),
  });

  const inputStop = new AbortController();
  const input = options.isInputPumped
    ? pumpInput({ run, io, signal: inputStop.signal })
    : Promise.resolve();

  const pumpEnd = await pumpOutput(options, leaving.signal);
  if (pumpEnd === 'reader-gone') await run.cancel('manual-cancel', 'cli:epipe');
  const exit = pumpEnd === 'left' ? undefined : await run.wait();
  inputStop.abort();
  await input;

  if (exit === undefined) {
    await say(io, `run ${run.runId} goes on; watch it again with: clf logs -f ${shortId(run)}`);
    return { kind: 'signal', signal: 'SIGHUP' };
  }
  if (pumpEnd === 'reader-gone') return codeStatus(signalExitCode('SIGPIPE') ?? 1);
  await report(options, exit);
  return statusOf(exit, forwarding.received);
}

async function pumpOutput(options: ForegroundOptions, signal: AbortSignal): Promise<PumpEnd> {
  const writer = createOutputWriter({ ...options });
  try {
    for await (const event of options.run.output(undefined, signal)) {
      await options.observe?.(event);
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

async function report(options: ForegroundOptions, exit: RunExit): Promise<void> {
  const { io, run } = options;
  if (options.isJson) {
    await io.stdout.write(jsonLine({ type: 'exit', id: run.runId, exit: exitJson(exit) }));
    return;
  }
  const notice = formatExitNotice(exit, run.snapshot().deadlines);
  if (notice !== undefined) await say(io, `run ${shortId(run)} ${notice}`);
  if (exit.leftovers.length > 0 && !options.isQuiet) {
    const names = exit.leftovers.map((one) => `${one.comm} (${one.pid})`).join(', ');
    await say(
      io,
      `run ${shortId(run)} ended and left running: ${names}; end them with: clf kill ${shortId(run)}`,
    );
  }
}

/* The convention of shells: die of the signal that both of us got. */
function statusOf(exit: RunExit, received: ReadonlySet<NodeJS.Signals>): ExitStatus {
  const signal = [...received].find((name) => name === exit.signal);
  const isShared = signal !== undefined && (exit.reason === 'signal' || exit.reason === 'exit');
  return isShared ? { kind: 'signal', signal } : codeStatus(exitCodeOf(exit));
}

/* Our own words go to stderr, and a closed stderr is no reason to fail. */
async function say(io: Pick<Io, 'stderr'>, text: string): Promise<void> {
  await io.stderr.write(`clf: ${text}\n`).catch(() => {});
}
