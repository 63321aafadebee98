/*
 * One page of a run's output: text as the tools show it, or the bytes as they came. From a cursor on, or the last bytes before one.
 */
import { hasCode } from '@clawdfather/kit';
import type { AnswerOf, Api, RequestOf } from '@clawdfather/protocol/api';
import { type Cursor, outputStart, type RunRecord, type Supervisor } from '@clawdfather/supervisor';
import type { RunActions, ToolCall } from '@clawdfather/tools';

type Output = Api['runs']['output'];
type Page = AnswerOf<Output>;
type Query = RequestOf<Output>['query'];

export interface OutputPageDeps {
  readonly actions: Pick<RunActions, 'log'>;
  readonly supervisor: Pick<Supervisor, 'lastOutput'>;
}

/* A byte that is no text is shown as `\xNN`. */
const charactersPerByteMax = 4;

export async function readOutputPage(
  { actions, supervisor }: OutputPageDeps,
  { record, call }: { readonly record: RunRecord; readonly call: ToolCall },
  query: Query,
): Promise<Page> {
  const { runId } = record;
  const { encoding = 'text' } = query;
  try {
    const begin = await startOf(supervisor, { record, call }, query);
    const { from, charactersMax, untilCursor, hasOlder } = begin;
    const page = await actions.log(
      { runId, cursor: from, encoding },
      { ...call, outputCharactersMax: charactersMax, untilCursor },
    );
    // The record was read before the page, so if the run had ended by then, the page has all of its output.
    const hasEnded = page.isEnd && record.exit !== undefined;
    const start = hasOlder === undefined ? {} : { from, hasOlder };
    return { ...withoutAgentFields(page), hasEnded, ...start };
  } catch (error) {
    if (record.exit === undefined || !hasCode(error, 'journal-missing')) throw error;
    /* It failed before it had a journal; its record says why. */
    const losses = { droppedBytes: 0, damagedBytes: 0, isTailLost: false };
    const cursor = query.cursor ?? outputStart;
    return { runId, encoding, text: '', cursor, isEnd: true, hasEnded: true, ...losses };
  }
}

/* The tools count characters of the answer; four of base64 are three bytes. */
async function startOf(
  supervisor: OutputPageDeps['supervisor'],
  { record, call: { breathe } }: { readonly record: RunRecord; readonly call: ToolCall },
  { cursor, limit, encoding = 'text', tail, before }: Query,
) {
  if (tail === undefined) {
    const charactersMax = encoding === 'text' ? limit : Math.ceil(limit / 3) * 4;
    return {
      from: cursor ?? outputStart,
      charactersMax,
      untilCursor: undefined,
      hasOlder: undefined,
    };
  }
  // A cursor is checked when it is read from.
  const untilCursor = before as Cursor | undefined;
  const { cursor: from, isStart } = await supervisor.lastOutput(record, {
    bytes: tail,
    before: untilCursor,
    breathe,
  });
  const charactersMax = tail * charactersPerByteMax;
  return { from, hasOlder: !isStart, charactersMax, untilCursor };
}

type LogPage = Awaited<ReturnType<RunActions['log']>>;

function withoutAgentFields({
  firstLine: _first,
  lines: _lines,
  totalLines: _total,
  timeoutMs: _timeoutMs,
  timeoutAt: _timeoutAt,
  noOutputTimeoutMs: _noOutputTimeoutMs,
  ...page
}: LogPage): Omit<Page, 'hasEnded'> {
  return page;
}
