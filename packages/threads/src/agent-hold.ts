/*
 * One agent process in our hands: what it says is read and committed, and what was committed for it is delivered.
 *
 * Stages of reading: transcript → steps → one commit with the cursor (X3) → acknowledge, now and then. The journal holds all that was not acknowledged,
 * so a crash at any point reads on from the stored cursor.
 * Delivering reads frames back from the database and writes each at its offset in the agent's input: the shim drops what it has (I1).
 */
import {
  type AgentSetup,
  type ConsumeStep,
  consume,
  createTextReader,
  type OnceSetup,
  createWireReader,
  type ThreadRecords,
  type TurnRow,
  type WireReader,
} from '@clawdfather/agents';
import type { Clock, Log } from '@clawdfather/kit';
import type { Cursor, ManagedRun, RunExit } from '@clawdfather/supervisor';
import { createAcknowledgements } from './acknowledgements.ts';
import { isOver } from './is-over.ts';
import { createLastWords, heardBy } from './last-words.ts';
import type { CrashPoint } from './ports.ts';
import { bytesOf, createStepBuffer } from './step-buffer.ts';
import type { KeptRows } from './thread-rows.ts';

export interface AgentHoldDeps {
  readonly rows: KeptRows;
  readonly records: Pick<ThreadRecords, 'frames' | 'trimFrames'>;
  readonly run: ManagedRun;
  readonly setup: AgentSetup;
  /* It speaks no protocol. */
  readonly once: OnceSetup | undefined;
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
  /* See `ConsumeFacts`. */
  readonly isInTime: (turn: TurnRow) => boolean;
  /* After each commit of what it said; whether a turn ran before. */
  readonly onConsumed: (hadTurn: boolean) => void;
}

export type HoldEnd =
  /* It has ended, and all that it said is stored. */
  | { readonly kind: 'ended'; readonly exit: RunExit; readonly lastWords: string | undefined }
  /* Another owner has it. */
  | { readonly kind: 'superseded' }
  /* Somebody else has read on under the same epoch: what comes next is elsewhere. */
  | { readonly kind: 'overtaken' }
  /* Its message was longer than any may be (W2). */
  | { readonly kind: 'overlong' };

export interface AgentHold {
  readonly run: ManagedRun;
  /* Until its end, or until `signal` aborts: then it rejects. */
  readonly done: Promise<HoldEnd>;
  /* Sends what was committed and may not be there yet. An agent that does not read lets this wait until its end. */
  deliver(): Promise<void>;
}

export function holdAgent(
  deps: AgentHoldDeps,
  start: { readonly cursor: Cursor; readonly acceptedInput: number },
  signal: AbortSignal,
): AgentHold {
  let delivering: Promise<void> = Promise.resolve();
  // The one that has not begun: whoever comes meanwhile is served by it.
  let waiting: Promise<void> | undefined;
  let delivered = start.acceptedInput;
  // One that reads its prompt from its input waits for the end of it.
  let isEndOwed = deps.once?.prompt === 'stdin';
  const deliver = async (): Promise<void> => {
    const { records, run, onPoint, rows } = deps;
    const isAllThere = (rows.known?.run?.nextInputOffset ?? Infinity) <= delivered;
    if (isAllThere && !isEndOwed) return;
    for (const { inputOffset, text } of await records.frames(run.runId, delivered)) {
      if (signal.aborted) return;
      onPoint?.('before-deliver');
      await run.write(text, { offset: inputOffset });
      onPoint?.('after-deliver');
      delivered = inputOffset + Buffer.byteLength(text);
    }
    if (!isEndOwed) return;
    // Once more after a crash, which changes nothing.
    await run.end(delivered);
    isEndOwed = false;
  };
  return {
    run: deps.run,
    done: read(deps, start.cursor, signal),
    deliver: () => {
      if (waiting !== undefined) return waiting;
      const begin = (): Promise<void> => {
        waiting = undefined;
        return deliver();
      };
      const next = delivering.then(begin).catch((error: unknown) => {
        // It is over, or another's: the reader finds out.
        if (!isOver(error)) throw error;
      });
      waiting = next;
      delivering = next.catch(() => undefined);
      return next;
    },
  };
}

async function read(deps: AgentHoldDeps, from: Cursor, signal: AbortSignal): Promise<HoldEnd> {
  const { run, clock, once } = deps;
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const buffer = createStepBuffer(clock, both);
  const reader = once === undefined ? createWireReader(from) : createTextReader(from);
  const words = createLastWords();
  const hearing = { reader: heardBy(words, reader), buffer, signal: both };
  const gathering = gather(run, from, hearing).finally(() => buffer.end());
  // Its failure is told below; until then it is nobody's.
  gathering.catch(() => undefined);
  try {
    const end = await commitAll(deps, from, buffer);
    if (end !== undefined) return end;
    await gathering;
    return { kind: 'ended', exit: await run.wait(signal), lastWords: words.last() };
  } finally {
    stop.abort();
  }
}

async function gather(
  run: ManagedRun,
  from: Cursor,
  { reader, buffer, signal }: Gathering,
): Promise<void> {
  for await (const event of run.transcript(from, signal)) await buffer.add(reader.push(event));
  await buffer.add(reader.end());
}

interface Gathering {
  readonly reader: WireReader;
  readonly buffer: ReturnType<typeof createStepBuffer>;
  readonly signal: AbortSignal;
}

/* Undefined: all was committed. */
async function commitAll(
  deps: AgentHoldDeps,
  start: Cursor,
  buffer: ReturnType<typeof createStepBuffer>,
): Promise<HoldEnd | undefined> {
  const { rows, run, setup, epoch, clock, isInTime } = deps;
  const acknowledgements = createAcknowledgements(deps);
  let from = start;
  for (;;) {
    const steps = await buffer.take();
    const last = steps?.at(-1);
    if (steps === undefined || last === undefined) {
      await acknowledgements.finish();
      return undefined;
    }
    const batch = { runId: run.runId, epoch, from, steps };
    let outcome: ConsumeStep['outcome'] = 'consumed';
    let hadTurn = false;
    await rows.change((now, text) => {
      hadTurn = now.turn !== undefined;
      const step = consume(now, batch, { setup, text, atMs: clock.wallMs(), isInTime });
      outcome = step.outcome;
      return step.outcome === 'consumed' ? step : undefined;
    });
    if (outcome !== 'consumed') {
      return { kind: outcome === 'superseded' ? 'superseded' : 'overtaken' };
    }
    from = last.cursor;
    acknowledgements.stored(from, bytesOf(steps));
    deps.onConsumed(hadTurn);
    if (last.items.some(({ kind }) => kind === 'overlong')) return { kind: 'overlong' };
  }
}
