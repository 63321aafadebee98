/*
 * What agents of this machine ask, for a process that owns none of them: an operator (O4).
 *
 * Stages of a list: threads with a run of this instance → the journal from the stored cursor to its end → asks that are not stored yet are
 * noted ahead, by the id that their line will give them (W6), and the cursor stays.
 * Stages of an answer: the same look → X4 → all committed frames of the run, read back from the database and written at their offsets; the
 * shim drops what it has (I1). Frames are written also after a refusal: who committed the answer may have been killed before writing.
 *
 * Nothing here is compared with an epoch and nothing is taken over. The thread's version orders this process, others like it and a gateway
 * that starts meanwhile: who decided on rows that are not the newest decides again, so an ask is answered once.
 */
import type { AccountId, Clock } from '@clawdfather/kit';
import type { Cursor, ManagedRun, RunId, Supervisor } from '@clawdfather/supervisor';
import { type AnswerRefusal, answerAsk, answerAudit } from '../decide/answer-ask.ts';
import { beginLook, type LookAhead, lookOn, noteAsks } from '../decide/look-ahead.ts';
import type { DueThreads, ThreadName, ThreadRecords } from '../ports.ts';
import type { AgentRunRow, AskAnswer, AskRow, ThreadRows } from '../rows.ts';
import { createWireReader } from '../wire/wire-reader.ts';

type Records = Pick<ThreadRecords, 'ask' | 'commit' | 'frames' | 'get' | 'load'>;

export interface AsksHereDeps {
  readonly recordsOf: (accountId: AccountId) => Records;
  readonly due: Pick<DueThreads, 'withRuns'>;
  readonly supervisor: Pick<Supervisor, 'attach' | 'get' | 'instanceId'>;
  readonly clock: Pick<Clock, 'wallMs'>;
}

export interface FoundAsk {
  readonly accountId: AccountId;
  /* Name of the agent that asks. */
  readonly agent: string;
  readonly ask: AskRow & { readonly threadId: string };
}

export interface AskedReply {
  readonly answer: AskAnswer;
  readonly actor: string;
}

export type Answered =
  /* `undelivered`: why the agent may not have the answer yet. It is stored, and whoever holds the agent next delivers it. */
  | { readonly outcome: 'answered'; readonly undelivered: Error | undefined }
  | { readonly outcome: AnswerRefusal };

export interface AsksHere {
  /* All that waits for a person, oldest first. */
  list(): Promise<readonly FoundAsk[]>;
  /* As it is stored now; undefined: it is forgotten. */
  find(found: FoundAsk): Promise<FoundAsk | undefined>;
  answer(found: FoundAsk, reply: AskedReply): Promise<Answered>;
}

export function createAsksHere(deps: AsksHereDeps): AsksHere {
  const { due, supervisor, recordsOf } = deps;
  return {
    list: async () => {
      const found: FoundAsk[] = [];
      for (const name of await due.withRuns(supervisor.instanceId)) {
        const seen = await lookAndNote(deps, name);
        if (seen !== undefined) found.push(...foundIn(name, seen));
      }
      return found.toSorted((one, other) => one.ask.askedAtMs - other.ask.askedAtMs);
    },
    find: async (found) => {
      const ask = await recordsOf(found.accountId).ask(found.ask.id);
      return ask && { ...found, ask };
    },
    answer: (found, reply) => answerOne(deps, found, reply),
  };
}

interface Seen {
  readonly rows: ThreadRows;
  readonly run: AgentRunRow;
  readonly look: LookAhead;
}

function foundIn({ accountId, id: threadId }: ThreadName, { rows, look }: Seen): FoundAsk[] {
  const { agent } = rows.thread;
  return [...look.waiting.values()].map((ask) => ({ accountId, agent, ask: { ...ask, threadId } }));
}

/* Undefined: its agent has ended, or is not this machine's. */
async function lookAndNote(deps: AsksHereDeps, name: ThreadName): Promise<Seen | undefined> {
  const records = deps.recordsOf(name.accountId);
  for (;;) {
    const seen = await look(deps, name);
    if (seen === undefined) return undefined;
    const change = noteAsks(seen.rows, seen.look, deps.clock.wallMs());
    if (change === undefined) return seen;
    // Committed or not, what is stored now is not what was seen.
    await records.commit(seen.rows, change);
  }
}

/* How often it is looked again because the thread was changed meanwhile; what is written afterwards is compared in any case. */
const looksMax = 10;

async function look(
  { recordsOf, supervisor }: AsksHereDeps,
  { accountId, id }: ThreadName,
): Promise<Seen | undefined> {
  const records = recordsOf(accountId);
  for (let looks = 1; ; looks += 1) {
    const rows = await records.load(id);
    const run = rows?.run;
    if (rows === undefined || run?.state !== 'open' || !isAlive(supervisor, run)) return undefined;
    const handle = await supervisor.attach(run.runId);
    const seen = await readAhead(rows, run.cursor, handle);
    // A gateway that consumes meanwhile lets go of what was read, and there would be holes in it.
    const now = await records.get(id);
    if (now?.version === rows.thread.version || looks === looksMax) {
      return { rows, run, look: seen };
    }
  }
}

function isAlive(
  supervisor: AsksHereDeps['supervisor'],
  { runId, instanceId }: AgentRunRow,
): boolean {
  const record = supervisor.get(runId);
  const isHere = instanceId === supervisor.instanceId && record !== undefined;
  return isHere && record.exit === undefined;
}

async function readAhead(
  rows: ThreadRows,
  from: Cursor,
  run: Pick<ManagedRun, 'outputSoFar'>,
): Promise<LookAhead> {
  const reader = createWireReader(from);
  let seen = beginLook(rows);
  for await (const event of run.outputSoFar(from)) {
    for (const step of reader.push(event)) seen = lookOn(rows, seen, step);
  }
  return seen;
}

async function answerOne(
  deps: AsksHereDeps,
  { accountId, ask }: FoundAsk,
  { answer, actor }: AskedReply,
): Promise<Answered> {
  const records = deps.recordsOf(accountId);
  const name = { accountId, id: ask.threadId };
  for (;;) {
    const seen = await lookAndNote(deps, name);
    if (seen === undefined) return { outcome: 'ask-decided' };
    const { rows, run } = seen;
    const reply = { askId: ask.id, answer, actor };
    const step = answerAsk(rows, reply, deps.clock.wallMs());
    // Withdrawn, or over with its turn, in a line that is not consumed yet; or not among the open ones any more.
    const isOver = !seen.look.waiting.has(ask.id);
    if (isOver || step.outcome !== 'answered') {
      await deliver(deps, records, run).catch(() => {
        /* The refusal is what the caller asked for; whoever holds the agent next delivers. */
      });
      return { outcome: isOver || step.outcome === 'answered' ? 'ask-decided' : step.outcome };
    }
    const audit = answerAudit({ ask, answer }, { actor });
    if ((await records.commit(rows, step.change, [audit])) === 'conflict') continue;
    const undelivered = await deliver(deps, records, run).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    return { outcome: 'answered', undelivered };
  }
}

/* Read back from the database: an answer to a commit can be lost, and another may have committed before us. */
async function deliver(
  { supervisor }: AsksHereDeps,
  records: Records,
  { runId, acceptedInput }: { readonly runId: RunId; readonly acceptedInput: number },
): Promise<void> {
  const run = await supervisor.attach(runId);
  for (const { inputOffset, text } of await records.frames(runId, acceptedInput)) {
    await run.write(text, { offset: inputOffset });
  }
}
