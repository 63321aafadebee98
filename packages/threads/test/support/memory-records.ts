/*
 * The control database in memory, with the store's promises: one version per thread, all of a change or nothing.
 */
import {
  type AgentRunRow,
  type AskRow,
  type CallRow,
  type DueThreads,
  type EventRow,
  type FrameRow,
  isAmongRows,
  type LaneFull,
  type Offered,
  type QueueRecords,
  type ThreadChange,
  type ThreadRecords,
  type ThreadRow,
  type ThreadRows,
  type TurnRow,
} from '@clawdfather/agents';
import { anAccount, fullLane, memoryQueue } from './memory-queue.ts';

export { anAccount } from './memory-queue.ts';

interface StoredThread {
  thread: ThreadRow;
  run: AgentRunRow | undefined;
  readonly turns: Map<string, TurnRow>;
  queue: readonly string[];
  readonly calls: Map<string, CallRow>;
  readonly asks: Map<string, AskRow>;
  readonly events: EventRow[];
  readonly frames: (FrameRow & { readonly runId: string })[];
  readonly endedRuns: AgentRunRow[];
  syncs: ThreadRows['syncs'];
}

export class MemoryRecords {
  readonly threads = new Map<string, StoredThread>();
  /* Of gateways, by their instance. */
  readonly beats = new Map<string, string>();
  readonly #offered = new Map<string, Offered>();
  #count = 0;

  readonly records: ThreadRecords = {
    create: async (given) => {
      this.#count += 1;
      const id = `thread-${this.#count}`;
      const thread: ThreadRow = {
        id,
        backend: 'acp',
        ownerId: given.ownerId ?? given.parentId ?? id,
        spawnedBy: given.spawnedBy ?? given.parentId,
        parentId: given.parentId,
        ancestors: [],
        instanceId: given.instanceId,
        version: 1,
        agent: given.agent,
        cwd: given.cwd,
        title: given.title,
        status: 'ready',
        sessionId: given.sessionId,
        chosen: given.chosen,
        lastSeq: 0,
        createdAtMs: 0,
        updatedAtMs: 0,
      };
      this.threads.set(thread.id, {
        thread,
        run: undefined,
        turns: new Map(),
        queue: [],
        calls: new Map(),
        asks: new Map(),
        events: [],
        frames: [],
        endedRuns: [],
        syncs: new Map(),
      });
      return rowsOf(this.#of(thread.id));
    },
    load: async (id) => {
      const stored = this.threads.get(id);
      return stored && rowsOf(stored);
    },
    commit: async (before, change) => this.#commit(before, change),
    get: async (id) => this.threads.get(id)?.thread,
    list: async () => {
      const items = [...this.threads.values()].map(({ thread }) => thread);
      return { items, total: items.length };
    },
    archive: async () => 'not_found',
    unarchive: async () => 'not_found',
    edit: async () => 'not_found',
    offered: async (agent) => this.#offered.get(agent),
    events: async (id, { after, limit }) =>
      this.#of(id)
        .events.filter(({ seq }) => seq > after)
        .slice(0, limit),
    deltas: async ({ threadId, id }, { after, limit }) =>
      this.#of(threadId)
        .events.filter(({ seq, turnId, type }) => seq > after && turnId === id && type === 'delta')
        .slice(0, limit),
    turns: async (id) => [...this.#of(id).turns.values()],
    turn: async (turnId) => this.#find(({ turns }) => turns.get(turnId)),
    turnOfMessage: async (id, messageId) =>
      [...this.#of(id).turns.values()].find(({ clientMessageId }) => clientMessageId === messageId),
    ask: async (askId) => this.#find(({ asks }) => asks.get(askId)),
    openAsks: async () =>
      [...this.threads].flatMap(([threadId, { asks }]) =>
        [...asks.values()]
          .filter(({ state }) => state === 'open')
          .map((ask) => ({ ...ask, threadId })),
      ),
    lastAsks: async (limit) =>
      [...this.threads]
        .flatMap(([threadId, { asks }]) => [...asks.values()].map((ask) => ({ ...ask, threadId })))
        .slice(-limit),
    frames: async (runId, from) =>
      [...this.threads.values()]
        .flatMap(({ frames }) => frames)
        .filter((frame) => frame.runId === runId)
        .filter(({ inputOffset, text }) => inputOffset + Buffer.byteLength(text) > from),
    trimFrames: async () => {},
    endedRuns: async (id) => this.#of(id).endedRuns,
  };

  readonly due: DueThreads = {
    withRuns: async (instanceId) =>
      [...this.threads.values()]
        .filter(({ run }) => run?.instanceId === instanceId)
        .map(({ thread: { id } }) => ({ accountId: anAccount, id })),
    withTurns: async () =>
      [...this.threads.values()]
        .filter(({ queue, turns }) => queue.length > 0 || [...turns.values()].some(isRunning))
        .map(({ thread: { id } }) => ({ accountId: anAccount, id })),
    elsewhere: async (instanceId) =>
      [...this.threads.values()].flatMap(({ thread: { id }, run, turns }) =>
        [...turns.values()].filter(isRunning).flatMap((turn) => {
          const at = run?.instanceId ?? turn.instanceId;
          if (at === undefined || at === instanceId) return [];
          const beat = this.beats.get(at);
          return [{ accountId: anAccount, id, turnId: turn.id, instanceId: at, beat }];
        }),
      ),
    runningTurns: async () =>
      [...this.threads.values()].flatMap(({ turns }) => [...turns.values()].filter(isRunning))
        .length,
    waitingTurns: async () =>
      [...this.threads.values()].reduce((sum, { queue }) => sum + queue.length, 0),
    forgetRunsBefore: async () => 0,
  };

  readonly queue: QueueRecords = memoryQueue(() =>
    [...this.threads.values()].map((stored) => ({ ...stored, rows: rowsOf(stored) })),
  );

  #of(id: string): StoredThread {
    const stored = this.threads.get(id);
    if (stored === undefined) throw new TypeError(`no thread ${id}`);
    return stored;
  }

  #find<Row>(pick: (stored: StoredThread) => Row | undefined) {
    for (const [threadId, stored] of this.threads) {
      const row = pick(stored);
      if (row !== undefined) return { ...row, threadId };
    }
    return undefined;
  }

  #commit(before: ThreadRows, change: ThreadChange): 'committed' | 'conflict' | LaneFull {
    const stored = this.#of(before.thread.id);
    const full =
      change.claim && fullLane([...this.threads.values()].map(rowsOf), stored, change.claim);
    if (full !== undefined) return full;
    if (stored.thread.version !== before.thread.version) return 'conflict';
    const { thread, run, turn, queue, calls, asks } = change.rows;
    const turns = [...queue, ...(turn === undefined ? [] : [turn]), ...change.endedTurns];
    for (const one of turns) refuseSecondTurn(stored, one);
    stored.thread = { ...thread, version: thread.version + 1 };
    const runId = run?.runId ?? before.run?.runId ?? '';
    stored.run = run;
    const { choices } = run ?? {};
    if (choices !== undefined && run?.phase === 'ready' && choices !== before.run?.choices) {
      this.#offered.set(thread.agent, { choices, seenAtMs: 0 });
    }
    stored.syncs = change.rows.syncs;
    stored.queue = queue.map(({ id }) => id);
    for (const one of turns) stored.turns.set(one.id, one);
    for (const call of calls.values()) stored.calls.set(`${runId} ${call.id}`, call);
    for (const ask of asks.values()) stored.asks.set(ask.id, ask);
    if (change.endedRun !== undefined) stored.endedRuns.push(change.endedRun);
    stored.events.push(...change.events);
    stored.frames.push(...change.frames.map((frame) => ({ ...frame, runId })));
    return 'committed';
  }
}

/* As the unique index of the store does: a message makes one turn. */
function refuseSecondTurn({ turns }: StoredThread, { id, clientMessageId }: TurnRow): void {
  if (clientMessageId === undefined) return;
  for (const other of turns.values()) {
    const isSame = other.clientMessageId === clientMessageId && other.id !== id;
    if (isSame) throw new Error(`message ${clientMessageId} has made turn ${other.id}`);
  }
}

function isRunning({ status }: TurnRow): boolean {
  return status === 'running';
}

function rowsOf(stored: StoredThread): ThreadRows {
  const { thread, run, turns, queue, calls, asks, syncs } = stored;
  const sent = [...calls]
    .filter(([key, { state }]) => state === 'sent' && key.startsWith(`${run?.runId} `))
    .map(([, call]) => [call.id, call] as const);
  return {
    thread,
    run,
    turn: [...turns.values()].find(isRunning),
    queue: queue.flatMap((id) => turns.get(id) ?? []),
    calls: new Map(sent),
    asks: new Map([...asks].filter(([, ask]) => isAmongRows(ask))),
    syncs,
  };
}
