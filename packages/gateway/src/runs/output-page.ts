/*
 * One page of a run's output: text as the tools show it, or the bytes as they came.
 */
import { hasCode } from '@clawdfather/kit';
import type { AnswerOf, Api, RequestOf } from '@clawdfather/protocol/api';
import { outputStart, type RunRecord } from '@clawdfather/supervisor';
import type { RunActions, ToolCall } from '@clawdfather/tools';

type Output = Api['runs']['output'];
type Page = AnswerOf<Output>;

export async function readOutputPage(
  actions: Pick<RunActions, 'log'>,
  { record, call }: { readonly record: RunRecord; readonly call: ToolCall },
  { cursor, limit, encoding = 'text' }: RequestOf<Output>['query'],
): Promise<Page> {
  const { runId } = record;
  const from = cursor ?? outputStart;
  // The tools count characters of the answer; four of base64 are three bytes.
  const outputCharactersMax = encoding === 'text' ? limit : Math.ceil(limit / 3) * 4;
  try {
    const page = await actions.log(
      { runId, cursor: from, encoding },
      { ...call, outputCharactersMax },
    );
    // The record was read before the page, so if the run had ended by then, the page has all of its output.
    return { ...withoutAgentFields(page), hasEnded: page.isEnd && record.exit !== undefined };
  } catch (error) {
    if (record.exit === undefined || !hasCode(error, 'journal-missing')) throw error;
    /* It failed before it had a journal; its record says why. */
    const losses = { droppedBytes: 0, damagedBytes: 0, isTailLost: false };
    return { runId, encoding, text: '', cursor: from, isEnd: true, hasEnded: true, ...losses };
  }
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
