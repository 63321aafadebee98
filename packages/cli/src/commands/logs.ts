/*
 * `clf logs`: a run's output from its journal, from any cursor or time, with or without
 * following. Reading touches neither the run nor its owner. Exits 1 when some of
 * it is damaged, lost, or was never saved (J4).
 */
import type { Cursor, OutputEvent, RunExit } from '@clawdfather/supervisor';
import type { OutputStart } from '../args/run-kinds.ts';
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import type { Run, RunHandle } from '../place/place.ts';
import type { Io } from '../io/io.ts';
import { formatExitNotice } from '../render/exit-text.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun, shortId } from '../runs/find-run.ts';
import { createLineShaper } from '../runs/line-shaper.ts';
import { createOutputWriter } from '../runs/output-writer.ts';
import { createTailLines } from '../runs/tail-lines.ts';
import type { logsSpec } from './specs.ts';

export async function execute(call: CallOf<typeof logsSpec>): Promise<ExitStatus> {
  const { flags, io } = call;
  const tailLines = flags.tail === undefined ? undefined : createTailLines(flags.tail);
  const writer = createOutputWriter({
    io,
    isJson: call.isJson,
    stream: streamFrom(call),
    ...(flags.timestamps ? { shape: createLineShaper() } : {}),
  });

  const askedAtMs = call.clock.wallMs();
  const isAsked = createTimeFilter(flags.since, askedAtMs);
  let reached = flags.since?.kind === 'cursor' ? flags.since.cursor : undefined;
  let isLost = false;
  await withPlace(call, async (place) => {
    const run = await findRun(place, call.operands.run);
    const handle = await place.open(run);
    for await (const event of handle.outputSoFar(reached)) {
      reached = event.cursor;
      isLost = event.kind === 'tail-lost';
      if (!isAsked(event)) continue;
      if (tailLines === undefined) await writer.write(event);
      else tailLines.push(event);
      // A run that writes as fast as we read would otherwise keep us for ever.
      if (event.kind === 'output' && event.atMs > askedAtMs) break;
    }
    for (const event of tailLines?.take() ?? []) await writer.write(event);
    const isFollowed = flags.follow && !isLost;
    if (isFollowed) {
      for await (const event of handle.output(await followFrom(handle, reached, run.exit))) {
        reached = event.cursor;
        isLost = event.kind === 'tail-lost';
        await writer.write(event);
      }
    }
    // What was followed has settled, also while its owner has not written that down. Anything else is not waited for.
    const isTold = isLost || flags.follow || io.stderr.isTerminal;
    const exit = isFollowed
      ? await handle.wait()
      : isTold
        ? (await findRun(place, run.runId)).exit
        : run.exit;
    if (exit !== undefined) await writer.writeUnsaved(exit);
    if (isTold && !call.isJson) await sayHowItEnded(io, run, exit);
  });
  if (flags.cursor && reached !== undefined) {
    await (call.isJson
      ? io.stdout.write(jsonLine({ type: 'cursor', cursor: reached }))
      : io.stderr.write(`cursor: ${reached}\n`));
  }
  return codeStatus(writer.codeAfter(exitOk));
}

/*
 * Whoever reads the last line wants to know that a limit or a person has ended it. Where the journal has no end, this may say why: a
 * shim that was killed, a reboot.
 */
async function sayHowItEnded(io: Io, run: Run, exit: RunExit | undefined): Promise<void> {
  const notice = exit && formatExitNotice(exit, run.deadlines);
  if (notice !== undefined) await io.stderr.write(`clf: run ${shortId(run)} ${notice}\n`);
}

/* What is missing before the first output of that time was said earlier, too. */
function createTimeFilter(
  since: OutputStart | undefined,
  nowMs: number,
): (event: OutputEvent) => boolean {
  if (since === undefined || since.kind === 'cursor') return () => true;
  const fromMs = since.kind === 'ago' ? nowMs - since.ms : since.atMs;
  let isReached = false;
  return (event) => {
    if (event.kind === 'output' && event.atMs >= fromMs) isReached = true;
    return isReached || event.kind === 'tail-lost';
  };
}

/*
 * Following ends when the run settles. One that has settled before, and has left
 * processes that still talk, is followed beyond its exit (T4); what was shown of
 * that already must not come again.
 */
async function followFrom(
  handle: RunHandle,
  reached: Cursor | undefined,
  exit: RunExit | undefined,
): Promise<Cursor | undefined> {
  if (exit === undefined) return reached;
  for await (const { cursor } of handle.outputSoFar(exit.cursor)) {
    if (cursor === reached) return reached;
  }
  return exit.cursor;
}

function streamFrom({ flags }: CallOf<typeof logsSpec>): 'stdout' | 'stderr' | undefined {
  if (flags.stdout && flags.stderr) {
    throw usageError('--stdout and --stderr exclude each other; without either you get both');
  }
  if (flags.stdout) return 'stdout';
  return flags.stderr ? 'stderr' : undefined;
}
