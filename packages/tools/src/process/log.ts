/*
 * `process log`: pages of what a run has said, by line or by cursor, as text or as the bytes they were.
 *
 * By line everything before the page is read and counted, by cursor nothing is; so a caller that wants all of a long output
 * reads by cursor. Either way memory holds one page, however long the output is.
 */
import type { Clock } from '@clawdfather/kit';
import { outputCharactersMax, processLimits } from '@clawdfather/protocol';
import {
  compareCursors,
  type Cursor,
  cursorInside,
  type ManagedRun,
  type OutputEvent,
  outputStart,
  type RunRecord,
} from '@clawdfather/supervisor';
import type { ToolCall, ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { createOutputCollector } from '../exec/output-collector.ts';
import { timeLimitOf } from '../exec/time-limit-of.ts';
import { createTextCleaner } from '../output/clean-text.ts';
import { readPage } from '../output/line-pager.ts';
import { findRecord } from './find-run.ts';
import { refusedCursor } from './refusals.ts';
import type { ParamsOf, ResultOf } from './result-of.ts';

/* A byte that is no text is shown as `\xNN`. */
const charactersPerByteMax = 4;
/* A page holds a character at least, whatever window its reader has. */
const pageBytesMin = 4;
const newline = 0x0a;
/* Bytes that are no text take a quarter of a microsecond each: a piece of them is a few milliseconds. */
const pieceBytes = 16 * 1024;
const breathMs = 5;

export async function readLog(
  context: ToolsContext,
  params: ParamsOf<'log'>,
  call: ToolCall,
): Promise<ResultOf<'log'>> {
  const record = findRecord(context, params.runId, call);
  const isByByte = params.cursor !== undefined || params.encoding === 'base64';
  if (isByByte && params.offset !== undefined) {
    throw new ToolsError(
      'params-invalid',
      'offset counts lines of text, so it goes with no cursor and no base64',
      {
        hint: 'Leave offset out to read from the cursor, or give offset and limit alone.',
      },
    );
  }
  const run = await context.supervisor.attach(record.runId);
  try {
    const page = isByByte ? cursorPage : linePage;
    return await page({ context, params, call, record, run });
  } catch (error) {
    throw refusedCursor(error);
  }
}

interface LogRead {
  readonly context: ToolsContext;
  readonly params: ParamsOf<'log'>;
  readonly call: ToolCall;
  readonly record: RunRecord;
  readonly run: ManagedRun;
}

async function cursorPage({
  context,
  params,
  call,
  record,
  run,
}: LogRead): Promise<ResultOf<'log'>> {
  const from = (params.cursor ?? outputStart) as Cursor;
  const charactersMax = call.outputCharactersMax ?? outputCharactersMax;
  const isText = params.encoding !== 'base64';
  const linesMax = params.limit ?? Number.POSITIVE_INFINITY;
  const take = (bytesMax: number) =>
    takePage(run.outputSoFar(from, call.signal), {
      from,
      bytesMax: Math.max(pageBytesMin, Math.floor(bytesMax)),
      linesMax,
      charactersMax: Math.max(pageBytesMin * charactersPerByteMax, charactersMax),
      until: call.untilCursor,
      breathe: createBreath(context.clock, call),
    });
  let page = await take(isText ? charactersMax : (charactersMax / 4) * 3);
  /* Text is seldom longer than its bytes. Where it is, fewer of them are taken, so that none is left out. */
  if (isText && page.collector.result(true).truncated !== undefined) {
    page = await take(charactersMax / charactersPerByteMax);
  }
  const isOver = page.isEnd && record.treeEndedAtMs !== undefined;
  const common = { runId: record.runId, ...timeLimitOf(record), ...page.losses } as const;
  const rest = { ...common, isEnd: page.isEnd };
  if (!isText) {
    const text = Buffer.concat(page.pieces).toString('base64');
    return { ...rest, text, encoding: 'base64', cursor: page.collector.reached };
  }
  const whole = page.collector.result(isOver);
  /* A sequence that fills the page is cut: a cursor that does not move would never get past it. */
  const isStuck = !page.isEnd && whole.cursor === from;
  const { output, cursor } = isStuck ? page.collector.result(true) : whole;
  return { ...rest, text: output, encoding: 'text', cursor };
}

interface PageLimits {
  readonly from: Cursor;
  readonly bytesMax: number;
  readonly linesMax: number;
  readonly charactersMax: number;
  /* Where it ends, if not before. */
  readonly until: Cursor | undefined;
  readonly breathe: () => Promise<void> | undefined;
}

async function takePage(events: AsyncIterable<OutputEvent>, limits: PageLimits) {
  const collector = createOutputCollector(limits.from, limits.charactersMax);
  const pieces: Uint8Array[] = [];
  let { bytesMax: bytesLeft, linesMax: linesLeft } = limits;
  const losses = newLosses();
  const done = (isEnd: boolean) => ({ collector, pieces, losses, isEnd });
  for await (const event of events) {
    noteLoss(losses, event);
    if (event.kind !== 'output') {
      collector.push(event);
      continue;
    }
    if (bytesLeft === 0 || linesLeft === 0) return done(false);
    const before = collector.reached;
    const near = bytesBefore(limits.until, event, before);
    if (near === 0) return done(false);
    const { count, lines } = measure(event.bytes, {
      bytesLeft: Math.min(bytesLeft, near),
      linesLeft,
    });
    for (let at = 0; at < count; at += pieceBytes) {
      const end = Math.min(count, at + pieceBytes);
      const bytes = event.bytes.subarray(at, end);
      collector.push({ ...event, bytes, cursor: cursorInside(before, event, end) });
      pieces.push(bytes);
      await limits.breathe();
    }
    if (count < event.bytes.length) return done(false);
    bytesLeft -= count;
    linesLeft -= lines;
  }
  return done(true);
}

/* How many bytes of an event are before a cursor. */
function bytesBefore(
  until: Cursor | undefined,
  event: Extract<OutputEvent, { kind: 'output' }>,
  before: Cursor,
): number {
  const isBefore = (count: number): boolean =>
    until === undefined || compareCursors(cursorInside(before, event, count), until) <= 0;
  if (isBefore(event.bytes.length)) return event.bytes.length;
  let least = 0;
  let most = event.bytes.length;
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (isBefore(middle)) least = middle;
    else most = middle;
  }
  return least;
}

/* How much of these bytes the page takes. */
function measure(
  bytes: Uint8Array,
  { bytesLeft, linesLeft }: { readonly bytesLeft: number; readonly linesLeft: number },
): { readonly count: number; readonly lines: number } {
  const fitting = bytes.subarray(0, bytesLeft);
  if (linesLeft === Number.POSITIVE_INFINITY) return { count: fitting.length, lines: 0 };
  let lines = 0;
  for (let at = fitting.indexOf(newline); at >= 0; at = fitting.indexOf(newline, at + 1)) {
    lines += 1;
    if (lines === linesLeft) return { count: at + 1, lines };
  }
  return { count: fitting.length, lines };
}

async function linePage({ context, params, call, record, run }: LogRead): Promise<ResultOf<'log'>> {
  const { offset } = params;
  const limit = params.limit ?? processLimits.logLines.usual;
  const seen: Seen = { losses: newLosses(), reached: outputStart };
  const open = (): AsyncIterable<string> => textsOf(run, { context, call, seen });
  const { text, ...page } = await readPage(open, { offset, limit });
  const window = {
    charactersMax: call.outputCharactersMax ?? outputCharactersMax,
    // A caller that names a line reads on from it.
    isHead: offset !== undefined && (offset >= 0 || -offset > limit),
  };
  const fitted = fitting(text, page, window);
  return {
    runId: record.runId,
    ...fitted,
    totalLines: page.totalLines,
    encoding: 'text',
    cursor: seen.reached,
    ...timeLimitOf(record),
    isEnd: fitted.firstLine + fitted.lines >= page.totalLines,
    ...seen.losses,
  };
}

interface Lines {
  readonly firstLine: number;
  readonly lines: number;
}

/* A caller with a smaller window gets the first or the last of these lines, whole. */
function fitting(
  text: string,
  { firstLine, lines }: Lines,
  { charactersMax, isHead }: { readonly charactersMax: number; readonly isHead: boolean },
): Lines & { readonly text: string } {
  if (text.length <= charactersMax) return { text, firstLine, lines };
  if (isHead) {
    // A newline right after what fits ends a line that fits.
    const end = text.lastIndexOf('\n', charactersMax);
    const kept = text.slice(0, end === -1 ? charactersMax : end);
    return { text: kept, firstLine, lines: kept.split('\n').length };
  }
  const cut = text.slice(text.length - charactersMax);
  const kept = cut.slice(cut.indexOf('\n') + 1);
  const keptLines = kept.split('\n').length;
  return { text: kept, firstLine: firstLine + lines - keptLines, lines: keptLines };
}

/* What is not in the text, and why. */
interface Losses {
  droppedBytes: number;
  damagedBytes: number;
  isTailLost: boolean;
}

function newLosses(): Losses {
  return { droppedBytes: 0, damagedBytes: 0, isTailLost: false };
}

function noteLoss(losses: Losses, event: OutputEvent): void {
  if (event.kind === 'gap') losses.droppedBytes += event.missedBytes;
  if (event.kind === 'damaged') losses.damagedBytes += event.missedBytes;
  if (event.kind === 'tail-lost') {
    losses.isTailLost = true;
    losses.damagedBytes += event.missedBytes;
  }
}

interface Seen {
  losses: Losses;
  reached: Cursor;
}

interface TextRead {
  readonly context: ToolsContext;
  readonly call: ToolCall;
  readonly seen: Seen;
}

/* Others have their turn now and then, however long the output is. */
function createBreath(
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>,
  { signal, breathe = () => clock.sleep(0, signal) }: Pick<ToolCall, 'signal' | 'breathe'>,
): () => Promise<void> | undefined {
  let sinceMs = clock.monotonicMs();
  return () => {
    if (clock.monotonicMs() - sinceMs < breathMs) return undefined;
    return breathe().then(() => {
      sinceMs = clock.monotonicMs();
    });
  };
}

/* To what there was at the beginning: a run that floods is never caught up with. */
async function* textsOf(
  run: ManagedRun,
  { context: { clock }, call, seen }: TextRead,
): AsyncIterable<string> {
  const cleaners = { stdout: createTextCleaner(), stderr: createTextCleaner() };
  const beganAtMs = clock.wallMs();
  const breathe = createBreath(clock, call);
  seen.losses = newLosses();
  for await (const event of run.outputSoFar(undefined, call.signal)) {
    if (event.kind === 'output' && event.atMs > beganAtMs + 1_000) break;
    seen.reached = event.cursor;
    noteLoss(seen.losses, event);
    if (event.kind === 'output') yield cleaners[event.stream].push(event.bytes);
    await breathe();
  }
  yield cleaners.stdout.end();
  yield cleaners.stderr.end();
}
