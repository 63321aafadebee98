/*
 * A receipt as the API shows it: read within bounds, summed up, with the names by which people know their devices.
 */
import type { EventRow, ThreadRow } from '@clawdfather/agents';
import type { Clock } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { GatewayStarts, Store } from '@clawdfather/store';
import { showEvent } from '../agents/show-thread.ts';
import type { Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import { namesForCaller } from '../runs/actor-names.ts';
import { collectEdits } from './changes/collect-edits.ts';
import { diffAll } from './changes/read-changes.ts';
import { showFile } from './changes/show-changes.ts';
import { ReceiptSums, type Sums } from './receipt.ts';
import { readStretch } from './read-stretch.ts';

type Receipt = AnswerOf<Api['history']['receipt']>;

/* Of each list; the totals count all. */
const listedMax = 100;
/* Texts of files that are kept for comparing, of all events together. */
const editBytesMax = 16 * 1024 * 1024;

export interface ReceiptDeps {
  readonly store: Store;
  readonly clock: Clock;
}

export async function makeReceipt(
  { store, clock }: ReceiptDeps,
  caller: Caller,
  { thread: asked, since }: { readonly thread: ThreadRow; readonly since: number },
): Promise<Receipt> {
  const { threads, history } = store.forAccount(caller.accountId);
  // All that it says of how the thread stands is of one moment, that of `newest_seq`.
  const rows = await threads.load(asked.id);
  const thread = rows?.thread ?? asked;
  const { id: threadId, lastSeq } = thread;
  const sums = new ReceiptSums(since);
  const edits = createEditKeeper();
  const stretch = { threadId, since, last: Math.max(since, lastSeq) };
  const through = await readStretch({ history, threads }, stretch, (event) => {
    sums.take(showEvent(event));
    edits.take(event);
  });
  const [sinceEvent] =
    since === 0 ? [] : await threads.events(threadId, { after: since - 1, limit: 1 });
  const sinceMs = sinceEvent?.seq === since ? sinceEvent.atMs : undefined;
  const starts = await store.system.instances.startsSince(sinceMs ?? thread.createdAtMs);
  const asks = [...(rows?.asks.values() ?? [])];
  const found = sums.sums(through);
  const nowMs = clock.wallMs();
  return {
    thread_id: threadId,
    since,
    through,
    newest_seq: lastSeq,
    is_complete: through >= lastSeq,
    since_at: formatTime(sinceMs),
    last_at: found.lastAt ?? null,
    now: formatTime(nowMs),
    away_ms: sinceMs === undefined ? null : Math.max(0, nowMs - sinceMs),
    events: found.events,
    bytes: found.bytes,
    checksum: found.checksum,
    missing: [...found.missing],
    gateways: starts.map(showStarts),
    ...(await showFiles(edits, thread, clock)),
    ...showDecisions(
      found,
      await namesForCaller(
        store,
        caller,
        found.decisions.map(({ by }) => by),
      ),
    ),
    ...showTurns(found),
    state: {
      status: thread.status,
      running_turn_id: rows?.turn?.id ?? null,
      waiting_turns: rows?.queue.length ?? 0,
      open_asks: asks.filter(({ state }) => state === 'open').length,
    },
  };
}

/* Only what tells of files is kept, and only as much as may be compared. */
function createEditKeeper() {
  const kept: EventRow[] = [];
  let bytes = 0;
  let isPartial = false;
  return {
    take: (event: EventRow): void => {
      if (event.type !== 'tool') return;
      const { content } = event.payload;
      const size = Array.isArray(content) ? JSON.stringify(content).length : 0;
      if (bytes + size > editBytesMax) isPartial = true;
      else {
        bytes += size;
        const { toolCallId, status } = event.payload;
        kept.push({ ...event, payload: { toolCallId, status, content } });
      }
    },
    files: () => collectEdits(kept),
    isPartial: () => isPartial,
  };
}

async function showFiles(
  edits: ReturnType<typeof createEditKeeper>,
  { cwd: directory }: ThreadRow,
  clock: Clock,
) {
  const all = edits.files();
  const diffs = await diffAll(all, clock);
  const files = all.map((file, index) => {
    const { n: _place, ...shown } = showFile(file, diffs[index], { n: index + 1, directory });
    return shown;
  });
  const sum = (side: 'added' | 'removed') =>
    files.reduce((total, file) => total + (file[side] ?? 0), 0);
  return {
    files: files.slice(0, listedMax),
    files_total: files.length,
    added: sum('added'),
    removed: sum('removed'),
    files_are_partial: edits.isPartial() || files.some(({ kind }) => kind !== 'text'),
  };
}

function showStarts(starts: GatewayStarts): Receipt['gateways'][number] {
  return {
    instance_id: starts.instanceId,
    starts: starts.count,
    first_generation: starts.firstGeneration,
    last_generation: starts.lastGeneration,
    last_started_at: formatTime(starts.lastAtMs),
  };
}

function showDecisions({ decisions }: Sums, names: Readonly<Record<string, string>>) {
  return {
    decisions: decisions.slice(-listedMax).map((one) => ({
      seq: one.seq,
      ask_id: one.askId,
      turn_id: one.turnId,
      class: one.class,
      answer: one.answer,
      by: one.by,
      by_name: names[one.by] ?? null,
      at: one.at,
    })),
    decisions_total: decisions.length,
  };
}

function showTurns({ turns }: Sums) {
  return {
    turns: turns.slice(-listedMax).map(({ turnId, status, code, cause, endedAt }) => ({
      turn_id: turnId,
      status,
      code: code ?? null,
      cause: cause ?? null,
      ended_at: endedAt,
    })),
    turns_total: turns.length,
  };
}
