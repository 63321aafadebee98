/*
 * `clf logs`: a run's output from its journal, from any cursor, with or without
 * following. Reading touches neither the run nor its owner. Exits 1 when some of
 * it is damaged or lost.
 */
import type { Cursor, ManagedRun, RunExit } from '@clawdfather/supervisor';
import { parseInteger } from '../args/values.ts';
import type { CommandContext } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { createLineShaper } from '../runs/line-shaper.ts';
import { createOutputWriter } from '../runs/output-writer.ts';
import { createTailLines } from '../runs/tail-lines.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';

const tailLinesMax = 1_000_000;

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const { args, io } = context;
  const [typed = ''] = args.operands;
  const tail = args.value('tail');
  const tailLines =
    tail === undefined
      ? undefined
      : createTailLines(parseInteger('--tail', tail, { min: 0, max: tailLinesMax }));
  const writer = createOutputWriter({
    io,
    isJson: context.isJson,
    stream: streamFrom(context),
    ...(args.has('timestamps') ? { shape: createLineShaper() } : {}),
  });

  const askedAtMs = context.clock.wallMs();
  let reached = args.value('since') as Cursor | undefined;
  let isLost = false;
  await withSupervisor(context, async (supervisor) => {
    const record = findRun(supervisor, typed);
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
    if (!args.has('follow') || isLost) return;
    for await (const event of run.output(await followFrom(run, reached, record.exit))) {
      reached = event.cursor;
      await writer.write(event);
    }
  });
  if (args.has('cursor') && reached !== undefined) {
    await (context.isJson
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

function streamFrom({ args }: CommandContext): 'stdout' | 'stderr' | undefined {
  if (args.has('stdout') && args.has('stderr')) {
    throw usageError('--stdout and --stderr exclude each other; without either you get both');
  }
  if (args.has('stdout')) return 'stdout';
  return args.has('stderr') ? 'stderr' : undefined;
}
