/*
 * The verdict over a campaign of turns.
 *
 *   Oracle 1   what an agent received is exactly what was committed for it, once, in order; no id of ours was used twice
 *   Oracle 2   each turn's nonce was sent once, its text is the one that its nonce makes, and its tool's effect happened once
 *
 * And events without a hole, and one card for each permission.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AskRow, EventRow, ThreadRecords, ThreadRow, TurnRow } from '@clawdfather/agents';
import { expectedLines, readTrace } from '@clawdfather/testkit';
import type { Violation } from '../verify/violation.ts';
import type { LoggedFrame } from './frames-log.ts';
import { placesIn } from './settings.ts';
import { indexOfMessage, planTurn } from './turn-plan.ts';

export interface TurnsEvidence {
  readonly dir: string;
  readonly records: ThreadRecords;
  /* By run. */
  readonly frames: ReadonlyMap<string, readonly LoggedFrame[]>;
}

export interface CheckedThread {
  readonly violations: readonly Violation[];
  readonly turns: number;
  readonly asks: number;
  readonly textBytes: number;
}

const eventsPerPage = 1_000;

export async function checkThread(
  evidence: TurnsEvidence,
  thread: ThreadRow,
): Promise<CheckedThread> {
  const { records } = evidence;
  const turns = await records.turns(thread.id);
  const events = await eventsOf(records, thread.id);
  const runIds = (await records.endedRuns(thread.id)).map(({ runId }) => runId).toReversed();
  const violations: Violation[] = [];
  const check = (isSo: boolean, rule: string, what: string): void => {
    if (!isSo) violations.push({ rule, runId: thread.id, what });
  };
  const frames = runIds.flatMap((runId) => evidence.frames.get(runId) ?? []);
  checkTrace(evidence, { thread, runIds, check });
  const isWhole = events.every(({ seq }, at) => seq === at + 1);
  check(isWhole, 'events have no holes', `${events.length} events`);
  const effects = linesOf(join(placesIn(evidence.dir).effects, thread.id));
  let asks = 0;
  for (const turn of turns) {
    asks += await checkTurn(evidence, { thread, turn, events, check });
    const { nonce } = planTurn(thread.id, indexOfMessage(turn.clientMessageId));
    const sent = frames.filter(({ text }) => text.includes(`effect: ${nonce}\\n`)).length;
    check(sent === 1, 'a prompt is sent once', `${nonce} was sent ${sent} times`);
    const done = effects.filter((line) => line === nonce).length;
    check(done === 1, 'an effect happens once', `${nonce} happened ${done} times`);
  }
  check(effects.length === turns.length, 'no effect without a turn', `${effects.length} effects`);
  const textBytes = Buffer.byteLength(textOf(events));
  return { violations, turns: turns.length, asks, textBytes };
}

type Check = (isSo: boolean, rule: string, what: string) => void;

function checkTrace(
  { dir, frames }: TurnsEvidence,
  {
    thread,
    runIds,
    check,
  }: { readonly thread: ThreadRow; readonly runIds: readonly string[]; readonly check: Check },
): void {
  const traced = readTrace(join(placesIn(dir).traces, thread.id));
  const sent = runIds.map((runId) => frames.get(runId) ?? []);
  for (const list of sent) {
    const ids = list
      .map(({ text }) => JSON.parse(text) as { readonly id?: number; readonly method?: string })
      .flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
    check(new Set(ids).size === ids.length, 'ids are used once', ids.join(' '));
  }
  // One that never came to its command was sent nothing.
  const began = sent.filter((list) => list.length > 0);
  check(traced.length === began.length, 'an agent is a process', `${traced.length} processes`);
  for (const [at, { lines }] of traced.entries()) {
    const list = began[at] ?? [];
    const expected = expectedLines(list.map(({ text }) => Buffer.from(text)));
    const isSame = JSON.stringify(expected.slice(0, lines.length)) === JSON.stringify(lines);
    check(isSame, 'an agent gets what was committed', `${lines.length} lines`);
    // An agent that is ended need not hear of it.
    const unsent = list.slice(lines.length).map(({ text }) => text);
    const isClose = unsent.every((text) => text.includes('"session/close"'));
    check(isClose, 'an agent gets all that was committed', unsent.join(''));
  }
}

async function checkTurn(
  { records }: TurnsEvidence,
  {
    thread,
    turn,
    events,
    check,
  }: {
    readonly thread: ThreadRow;
    readonly turn: TurnRow;
    readonly events: readonly EventRow[];
    readonly check: Check;
  },
): Promise<number> {
  const plan = planTurn(thread.id, indexOfMessage(turn.clientMessageId));
  const { nonce, isAsking } = plan;
  const mine = events.filter(({ turnId }) => turnId === turn.id);
  const what = `${nonce} is ${turn.status}: ${turn.result?.message ?? ''}`;
  check(turn.status === 'completed', 'every turn is completed', what);
  const cards = mine.filter(({ type }) => type === 'approval');
  const states = cards
    .map(({ payload: { state } }) => (typeof state === 'string' ? state : ''))
    .join(' ');
  const isOne = states === (isAsking ? 'open answered' : '');
  check(isOne, 'one card for a permission', `${nonce}: ${states}`);
  const askId = cards[0]?.payload['ask'];
  const ask = typeof askId === 'string' ? await records.ask(askId) : undefined;
  const text = textOf(mine);
  const isSame = text === plan.textOf(optionOf(ask));
  check(isSame, 'the text is the seed’s', `${nonce}: ${JSON.stringify(text)}`);
  return isAsking ? 1 : 0;
}

function optionOf(ask: AskRow | undefined): string | undefined {
  const { answer } = ask?.decision ?? {};
  return answer?.kind === 'option' ? answer.optionId : undefined;
}

function textOf(events: readonly EventRow[]): string {
  return events
    .filter(({ type, payload }) => type === 'delta' && payload['role'] === 'agent')
    .map(({ payload: { text } }) => (typeof text === 'string' ? text : ''))
    .join('');
}

async function eventsOf(records: ThreadRecords, threadId: string): Promise<EventRow[]> {
  const all: EventRow[] = [];
  for (;;) {
    const after = all.at(-1)?.seq ?? 0;
    const page = await records.events(threadId, { after, limit: eventsPerPage });
    all.push(...page);
    if (page.length < eventsPerPage) return all;
  }
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}
