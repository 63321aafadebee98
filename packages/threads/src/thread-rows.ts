/*
 * The rows of one thread as this process knows them, and the one way to change them: a pure decision, committed with the version that it
 * was made on. After a conflict the rows are read again, and it is decided anew. To do nothing, or to refuse, is a decision too, and no
 * commit proves that its rows were the newest: so it is made on rows that were just read.
 */
import {
  addText,
  type EventRow,
  isAmongRows,
  type LaneFull,
  type MessageText,
  noText,
  type ThreadAudit,
  type ThreadChange,
  type ThreadRecords,
  type ThreadRows,
} from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import { ThreadsError } from './errors.ts';
import type { EventDesk } from './event-desk.ts';
import { threadEventsOf, type ThreadsObserver } from './observer.ts';
import type { CrashPoint } from './ports.ts';

export interface KeptRowsDeps {
  readonly accountId: AccountId;
  readonly records: ThreadRecords;
  readonly threadId: string;
  readonly desk: EventDesk;
  readonly observer: ThreadsObserver;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
}

export interface Decided {
  readonly change: ThreadChange;
  /* Of the open message after the change; absent: as before. */
  readonly text?: MessageText;
  /* Of what somebody asked for. */
  readonly audits?: readonly ThreadAudit[];
}

/* Undefined: nothing is to be done. `text`: of the message that the agent is writing. */
export type Decide = (rows: ThreadRows, text: MessageText) => Decided | undefined;

/* A page of deltas, when the text of an open message is made anew. */
const pageEvents = 500;

export class KeptRows {
  readonly #deps: KeptRowsDeps;
  #rows: ThreadRows | undefined;
  #lastKnown: ThreadRows | undefined;
  #text: MessageText = noText();
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: KeptRowsDeps) {
    this.#deps = deps;
  }

  /* As they were after the last change or look, for hints; undefined before. */
  get known(): ThreadRows | undefined {
    return this.#rows ?? this.#lastKnown;
  }

  /* As they are stored now, or were when this process last looked. Throws `thread-not-found`. */
  read(): Promise<ThreadRows> {
    return this.#inTurn(() => this.#load());
  }

  /* Another process may have changed them. */
  forget(): Promise<void> {
    return this.#inTurn(async () => {
      this.#rows = undefined;
    });
  }

  /* Looks whether another process has changed them. One small row, where nothing has. */
  refresh(): Promise<ThreadRows> {
    return this.#inTurn(async () => {
      const { records, threadId } = this.#deps;
      const stored = await records.get(threadId);
      const isSame = this.#rows !== undefined && stored?.version === this.#rows.thread.version;
      return isSame ? this.#load() : this.#loadAgain();
    });
  }

  /*
   * One after the other, in the order of the calls. The rows after it, or undefined where nothing was decided. Throws `queue-full` and
   * `lane-full`, where it takes room in the lanes.
   */
  change(decide: Decide): Promise<ThreadRows | undefined> {
    return this.#inTurn(async () => {
      const decidedHere = this.#rows && decideOn(decide, this.#rows, this.#text);
      if (decidedHere !== undefined && this.#rows !== undefined) {
        if (await this.#commit(this.#rows, decidedHere)) return this.#rows;
      }
      for (;;) {
        const rows = await this.#loadAgain();
        const decided = decide(rows, this.#text);
        if (decided === undefined) return undefined;
        if (await this.#commit(rows, decided)) return this.#rows;
      }
    });
  }

  async #commit(before: ThreadRows, { change, text, audits }: Decided): Promise<boolean> {
    const { records, desk, observer, accountId, onPoint, threadId } = this.#deps;
    // Whatever becomes of it, what is here may not be what is stored any more.
    this.#lastKnown = before;
    this.#rows = undefined;
    onPoint?.('before-commit');
    const outcome = await records.commit(before, change, audits);
    onPoint?.('after-commit');
    if (outcome === 'conflict') return false;
    if (outcome !== 'committed') {
      const isRefused = change.claim?.kind === 'enqueue';
      const about = { accountId, thread: before.thread };
      if (isRefused) observer.told(about, { type: 'queue-full', lane: outcome.lane });
      throw noRoom(outcome, change);
    }
    this.#rows = settled(change.rows);
    if (text !== undefined) this.#text = text;
    const { lastSeq } = change.rows.thread;
    if (change.events.length > 0) desk.announce({ threadId, lastSeq, events: change.events });
    const about = { accountId, thread: this.#rows.thread };
    for (const event of threadEventsOf(before, change)) observer.told(about, event);
    return true;
  }

  async #load(): Promise<ThreadRows> {
    return this.#rows ?? (await this.#loadAgain());
  }

  async #loadAgain(): Promise<ThreadRows> {
    const kept = this.#rows;
    const { records, threadId } = this.#deps;
    const rows = await records.load(threadId);
    if (rows === undefined) {
      throw new ThreadsError('thread-not-found', `there is no thread ${threadId}`);
    }
    // Nothing has changed, so the text is the one that is here: making it anew would cost more than the rows.
    if (kept?.thread.version !== rows.thread.version) this.#text = await this.#textOf(rows);
    this.#rows = rows;
    return rows;
  }

  /* W9: from the deltas that are stored. */
  async #textOf({ run }: ThreadRows): Promise<MessageText> {
    let text = noText();
    if (run?.openMessage === undefined) return text;
    let after = run.openMessage.firstSeq - 1;
    for (;;) {
      const page = await this.#deps.records.events(this.#deps.threadId, {
        after,
        limit: pageEvents,
      });
      for (const event of page) text = addText(text, deltaOf(event));
      const last = page.at(-1);
      if (last === undefined || page.length < pageEvents) return text;
      after = last.seq;
    }
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function noRoom({ lane, count, max }: LaneFull, { claim, rows }: ThreadChange): ThreadsError {
  const isWaiting = claim?.kind === 'enqueue';
  const whose = {
    agent: `for ${rows.thread.agent}`,
    account: 'in your account',
    gateway: 'at this gateway',
  }[lane];
  const message = `${count} of ${max} turns ${isWaiting ? 'wait' : 'run'} ${whose} already`;
  return new ThreadsError(isWaiting ? 'queue-full' : 'lane-full', message, {
    detail: { lane, count, max, turn_code: 'OPENCLAW_GATEWAY_BUSY' },
    hint: 'Try again when one has ended.',
  });
}

/* Undefined also where it refuses: on rows that may be old, neither says anything. */
function decideOn(decide: Decide, rows: ThreadRows, text: MessageText): Decided | undefined {
  try {
    return decide(rows, text);
  } catch {
    return undefined;
  }
}

function deltaOf({ type, payload }: EventRow): string {
  const { text } = payload;
  return type === 'delta' && typeof text === 'string' ? text : '';
}

/* As a load would find them. */
function settled({ thread, asks, calls, ...rows }: ThreadRows): ThreadRows {
  return {
    ...rows,
    thread: { ...thread, version: thread.version + 1 },
    asks: new Map([...asks].filter(([, ask]) => isAmongRows(ask))),
    calls: new Map([...calls].filter(([, { state }]) => state === 'sent')),
  };
}
