/*
 * `clf logs`: a run's output from its journal, from any cursor, with or without
 * following. Reading touches neither the run nor its owner. Exits 1 when some of
 * it is damaged or lost.
 */
import type { Cursor, ManagedRun, RunExit } from '@clawdfather/supervisor';
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { createLineShaper } from '../runs/line-shaper.ts';
import { createOutputWriter } from '../runs/output-writer.ts';
import { createTailLines } from '../runs/tail-lines.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
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
  let reached = flags.since;
  let isLost = false;
  await withSupervisor(call, async (supervisor) => {
    const record = findRun(supervisor, call.operands.run);
    const run = await supervisor.attach(record.runId);
    for await (const event of run.outputSoFar(reached)) {
      reached = event.cursor;
      if (tailLines === undefined) await writer.write(event);
      else tailLines.push(event);
      // A run that writes as fast as we read would otherwise keep us for ever.
      if (event.kind === 'output' && event.atMs > askedAtMs) break;
      isLost = event.kind === 'tail-lost';
    }
    for (const event of tailLines?.take() ?? []) await writer.write(event);
    if (!flags.follow || isLost) return;
    for await (const event of run.output(await followFrom(run, reached, record.exit))) {
      reached = event.cursor;
      await writer.write(event);
    }
  });
  if (flags.cursor && reached !== undefined) {
    await (call.isJson
      ? io.stdout.write(jsonLine({ type: 'cursor', cursor: reached }))
      : io.stderr.write(`cursor: ${reached}\n`));
  }
  return codeStatus(writer.codeAfter(exitOk));
}

/*
 * Following ends when the run settles. One that has settled before, and has left
 * processes that still talk, is followed beyond its exit (T4); what was shown of
 * that already must not come again.
 */
async function followFrom(
  run: ManagedRun,
  reached: Cursor | undefined,
  exit: RunExit | undefined,
): Promise<Cursor | undefined> {
  if (exit === undefined) return reached;
  for await (const { cursor } of run.outputSoFar(exit.cursor)) {
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
