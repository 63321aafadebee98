/*
 * `clf logs`: a run's output from its journal, from any cursor, with or without
 * following. Reading touches neither the run nor its owner.
 */
import type { Cursor, OutputEvent } from '@clawdfather/supervisor';
import { parseInteger } from '../args/values.ts';
import type { CommandContext } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { createEventFeed } from '../runs/event-feed.ts';
import { findRun } from '../runs/find-run.ts';
import { createLineShaper } from '../runs/line-shaper.ts';
import { createOutputWriter } from '../runs/output-writer.ts';
import { createTailLines, type TailLines } from '../runs/tail-lines.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';

/*
 * Of a run that goes on: no event for this long means that the end of its journal
 * is reached. Long against a read from a busy disk, short for a person.
 */
const quietMs = 250;
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

  await withSupervisor(context, async (supervisor) => {
    const record = findRun(supervisor, typed);
    const since = args.value('since') as Cursor | undefined;
    const run = await supervisor.attach(record.runId, since);
    const stop = new AbortController();
    const events = run.output(since, stop.signal);
    await show({ context, events, tailLines, write: (event) => writer.write(event) });
    stop.abort();
  });
  if (args.has('cursor') && writer.cursor !== undefined) {
    await (context.isJson
      ? io.stdout.write(jsonLine({ type: 'cursor', cursor: writer.cursor }))
      : io.stderr.write(`cursor: ${writer.cursor}\n`));
  }
  return codeStatus(exitOk);
}

interface Showing {
  readonly context: CommandContext;
  readonly events: AsyncIterable<OutputEvent>;
  readonly tailLines: TailLines | undefined;
  readonly write: (event: OutputEvent) => Promise<void>;
}

/* What is there, cut to its tail if asked; then, when following, what comes. */
async function show({ context, events, tailLines, write }: Showing): Promise<void> {
  const feed = createEventFeed(events, context.clock);
  const isFollowing = context.args.has('follow');
  // Where history ends matters to those who stop there and to those who want its tail.
  let isHistory = !isFollowing || tailLines !== undefined;
  for (;;) {
    const step = isHistory ? await feed.nextWithin(quietMs) : await feed.next();
    if (step.kind === 'event') {
      if (isHistory && tailLines !== undefined) tailLines.push(step.event);
      else await write(step.event);
      continue;
    }
    if (isHistory) for (const event of tailLines?.take() ?? []) await write(event);
    isHistory = false;
    if (step.kind === 'end' || !isFollowing) return;
  }
}

function streamFrom({ args }: CommandContext): 'stdout' | 'stderr' | undefined {
  if (args.has('stdout') && args.has('stderr')) {
    throw usageError('--stdout and --stderr exclude each other; without either you get both');
  }
  if (args.has('stdout')) return 'stdout';
  return args.has('stderr') ? 'stderr' : undefined;
}
