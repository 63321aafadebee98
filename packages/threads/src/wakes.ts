/*
 * Tells a thread that what it asked of another one has ended, exactly once.
 *
 * That it is due is in the row of the turn, from the transaction that ended it. To tell it is one turn in the thread that asked, whose
 * message id is made from the turn that has ended: however many gateways try, and wherever each is killed, there is one such turn. That
 * it was told is noted last; until then it is tried again.
 */
import {
  type DueWake,
  formatWake,
  type MakeVisible,
  saidTexts,
  type ThreadRecords,
  type ThreadRow,
  type TurnRow,
  type WakeOutcome,
  type WakeRecords,
} from '@clawdfather/agents';
import {
  type AccountId,
  type Clock,
  hasCode,
  type Log,
  type Random,
  type Timer,
} from '@clawdfather/kit';
import type { Threads } from './create-threads.ts';
import type { ThreadsObserver } from './observer.ts';

export interface WakesDeps {
  readonly wakes: WakeRecords;
  readonly recordsOf: (accountId: AccountId) => Pick<ThreadRecords, 'get' | 'turn' | 'events'>;
  readonly prompt: Threads['prompt'];
  readonly observer: Pick<ThreadsObserver, 'apart'>;
  readonly makeVisible: MakeVisible;
  readonly clock: Pick<Clock, 'timer'>;
  readonly random: Random;
  readonly log: Log;
  /* Places at which a crash is tried, for tests. */
  readonly onPoint?: ((point: 'before-wake' | 'after-wake' | 'after-settle') => void) | undefined;
}

export interface Wakes {
  /* A turn has ended somewhere. */
  look(): void;
  close(): Promise<void>;
}

/* Of one read; the next one follows at once. */
const wakesAtOnce = 50;
/* Of one look: each is a write that is refused. */
const untoldMax = 1_000;
/* What another gateway has ended and could not tell any more, and what failed, is found by then. */
const everyMs = 10_000;
/* Events, from the newest back, in which the last words of a turn are looked for. */
const eventsSearched = 500;

export function createWakes(deps: WakesDeps): Wakes {
  const { wakes, log, clock, observer } = deps;
  let isWanted = false;
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let timer: Timer | undefined;
  const lookOnce = async (): Promise<void> => {
    // What could not be told now, such as to an account whose queue is full, waits for the timer. Others behind it do not.
    let untold = 0;
    while (untold < untoldMax) {
      const due = await wakes.due(wakesAtOnce, untold);
      for (const wake of due) {
        if (isClosed) return;
        if (!(await tellOne(deps, wake))) untold += 1;
      }
      if (due.length < wakesAtOnce) return;
    }
  };
  const loop = async (): Promise<void> => {
    while (isWanted && !isClosed) {
      isWanted = false;
      await lookOnce().catch((error: unknown) => {
        if (!isClosed) log.warn('thread.wakes-failed', { error });
      });
    }
  };
  const arm = (): void => {
    timer?.cancel();
    if (isClosed) return;
    timer = clock.timer(everyMs, look);
    timer.unref();
  };
  const look = (): void => {
    isWanted = true;
    if (isClosed) return;
    looking ??= observer.apart(loop).finally(() => {
      looking = undefined;
      arm();
      if (isWanted) look();
    });
  };
  return {
    look,
    close: async () => {
      isClosed = true;
      timer?.cancel();
      await looking;
    },
  };
}

/* False: it could not be told now. */
async function tellOne(deps: WakesDeps, wake: DueWake): Promise<boolean> {
  const { wakes, log, onPoint } = deps;
  const { turnId, wakeId } = wake;
  try {
    onPoint?.('before-wake');
    const outcome = await tell(deps, wake);
    onPoint?.('after-wake');
    await wakes.settle(wake, outcome);
    onPoint?.('after-settle');
    log.event('thread.woken', { threadId: wakeId, turnId, outcome });
    return true;
  } catch (error) {
    log.warn('thread.not-woken', { threadId: wakeId, turnId, error });
    return false;
  }
}

async function tell(deps: WakesDeps, wake: DueWake): Promise<WakeOutcome> {
  const { recordsOf, makeVisible, random } = deps;
  const { accountId, turnId, threadId, wakeId } = wake;
  const records = recordsOf(accountId);
  const parent = await records.get(wakeId);
  if (parent === undefined) return 'gone';
  if (parent.status === 'archived') return 'archived';
  const child = await records.get(threadId);
  const turn = await records.turn(turnId);
  if (child === undefined || turn === undefined) return 'gone';
  const lastText = await lastTextOf(records, child, turnId);
  const nonce = Buffer.from(random.bytes(9)).toString('base64url');
  const text = formatWake(speakerOf(child), endOf(turn, lastText), { makeVisible, nonce });
  try {
    await deps.prompt(
      { accountId, id: wakeId },
      {
        blocks: [{ type: 'text', text }],
        loadClass: 'long_task',
        by: { actor: `thread:${threadId}` },
        clientMessageId: `wake:${turnId}`,
      },
    );
    return 'woken';
  } catch (error) {
    if (hasCode(error, 'thread-archived')) return 'archived';
    throw error;
  }
}

function endOf({ id, status, result }: TurnRow, lastText: string) {
  return {
    receipt: id,
    status,
    code: result?.code ?? status,
    message: result?.message,
    lastText,
  };
}

function speakerOf({ id, agent, title }: ThreadRow) {
  return { sessionKey: id, agentId: agent, title };
}

/* Of the newest events: a turn that is told of has just ended, and what is not among them can be read. */
async function lastTextOf(
  records: Pick<ThreadRecords, 'events'>,
  { id, lastSeq }: ThreadRow,
  turnId: string,
): Promise<string> {
  const after = Math.max(0, lastSeq - eventsSearched);
  const events = await records.events(id, { after, limit: eventsSearched });
  const texts = saidTexts(events.filter((event) => event.turnId === turnId));
  return texts.findLast(({ role }) => role === 'agent')?.text ?? '';
}
