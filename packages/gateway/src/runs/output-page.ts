/*
 * One page of a run's output: text as the tools show it, or the bytes as they came.
 */
import { hasCode } from '@clawdfather/kit';
import type { AnswerOf, Api, RequestOf } from '@clawdfather/protocol/api';
import { outputStart, type RunRecord } from '@clawdfather/supervisor';
import type { ToolCall, Tools } from '@clawdfather/tools';

type Output = Api['runs']['output'];
type Page = AnswerOf<Output>;

export async function readOutputPage(
  tools: Tools,
  { record, call }: { readonly record: RunRecord; readonly call: ToolCall },
  { cursor, limit, encoding = 'text' }: RequestOf<Output>['query'],
): Promise<Page> {
  const { runId } = record;
  const from = cursor ?? outputStart;
  // The tools count characters of the answer; four of base64 are three bytes.
  const outputCharactersMax = encoding === 'text' ? limit : Math.ceil(limit / 3) * 4;
  try {
    const page = await tools.process(
      { action: 'log', runId, cursor: from, encoding },
      { ...call, outputCharactersMax },
    );
    if (page.action !== 'log') throw new TypeError('log answers with a log');
    const { text, isEnd, droppedBytes } = page;
    // The record is older than the page: what ended before it was read has said all.
    const hasEnded = isEnd && record.exit !== undefined;
    return { runId, text, encoding, cursor: page.cursor, isEnd, droppedBytes, hasEnded };
  } catch (error) {
    if (record.exit === undefined || !hasCode(error, 'journal-missing')) throw error;
    /* It never got as far as a journal; its record says why. */
    const nothing = { text: '', cursor: from, isEnd: true, droppedBytes: 0, hasEnded: true };
    return { runId, encoding, ...nothing };
  }
}
