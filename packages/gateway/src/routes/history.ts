/*
 * Reading a thread back over HTTP: pages, single events, receipts, and what turns have changed.
 */
import type { ThreadRow } from '@clawdfather/agents';
import type { Clock } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import { buildPage } from '../history/build-page.ts';
import { diffFile } from '../history/changes/diff-file.ts';
import { pageHunks } from '../history/changes/page-hunks.ts';
import { diffAll, readChanges } from '../history/changes/read-changes.ts';
import { showFile, showHunk, showLine } from '../history/changes/show-changes.ts';
import { compressed } from '../history/compressed.ts';
import { makeReceipt } from '../history/show-receipt.ts';
import { type VerifyDeps, verifyThread } from '../history/verify/verify-thread.ts';
import { notFound } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import type { Call, Handlers } from '../http/handlers.ts';

export interface HistoryParts extends VerifyDeps {
  readonly store: Store;
  readonly clock: Clock;
}

export function createHistoryHandlers(parts: HistoryParts): Handlers<Api['history']> {
  const { store, clock } = parts;
  return {
    page: async (call) => {
      const { history } = store.forAccount(call.caller.accountId);
      const { lastSeq: newestSeq, id: threadId } = await findThread(
        parts,
        call.caller,
        call.params.id,
      );
      const { before = newestSeq + 1, limit } = call.query;
      // What was added since the thread was read is on the next newest page.
      const below = Math.min(before, newestSeq + 1);
      const page = await buildPage(history, { threadId, before: below, limit });
      return compressed(call, {
        thread_id: threadId,
        // The schema's lists can be changed; nothing changes these.
        blocks: [...page.blocks] as never,
        first_seq: page.firstSeq ?? null,
        last_seq: page.lastSeq ?? null,
        has_more: page.hasMore,
        gaps: [...page.gaps],
        newest_seq: newestSeq,
      });
    },
    receipt: async ({ caller, params, query: { since } }) => {
      const thread = await findThread(parts, caller, params.id);
      return makeReceipt(parts, caller, { thread, since });
    },
    verify: async (call) => {
      await findThread(parts, call.caller, call.params.id);
      // It reads as fast as a disk: whoever is next in line need not wait for all of it.
      call.leaveTurn();
      const { signal } = call;
      return verifyThread(parts, call.caller.accountId, { threadId: call.params.id, signal });
    },
    changes: async ({ caller, params }) => {
      const { threadId, directory, files, isPartial } = await findChanges(parts, caller, params.id);
      const diffs = await diffAll(files, clock);
      return {
        turn_id: params.id,
        thread_id: threadId,
        directory,
        files: files.map((file, index) =>
          showFile(file, diffs[index], { n: index + 1, directory }),
        ),
        is_partial: isPartial,
      };
    },
    fileChanges: async ({ caller, params: { id, n }, query }) => {
      const { files, directory } = await findChanges(parts, caller, id);
      const file = files[n - 1];
      if (file === undefined) throw notFound();
      const diff = diffFile(file);
      const { hunks, nextOffset } = pageHunks(diff.kind === 'text' ? diff.hunks : [], query);
      return {
        turn_id: id,
        file: showFile(file, diff, { n, directory }),
        offset: query.offset,
        hunks: hunks.map(showHunk),
        next_offset: nextOffset ?? null,
        beginning: diff.kind === 'too_large' ? diff.lines.map(showLine) : null,
      };
    },
    event: (call) => showPiece(parts, call),
  };
}

async function showPiece(
  { store }: HistoryParts,
  { caller, params, query }: Call<Api['history']['event']>,
): Promise<AnswerOf<Api['history']['event']>> {
  const { history } = store.forAccount(caller.accountId);
  const { seq, id } = params;
  const event = await history.eventText(id, { seq, ...query });
  if (event === undefined) throw notFound();
  const { characters, text, turnId, type, atMs } = event;
  const end = query.offset + query.limit;
  return {
    seq,
    turn_id: turnId ?? null,
    type,
    at: formatTime(atMs),
    characters,
    offset: query.offset,
    json: text,
    next_offset: end < characters ? end : null,
  };
}

async function findThread({ store }: HistoryParts, caller: Caller, id: string): Promise<ThreadRow> {
  const thread = await store.forAccount(caller.accountId).threads.get(id);
  if (thread === undefined) throw notFound();
  return thread;
}

async function findChanges(parts: HistoryParts, caller: Caller, turnId: string) {
  const { threads, history } = parts.store.forAccount(caller.accountId);
  const turn = await threads.turn(turnId);
  if (turn === undefined) throw notFound();
  const { threadId } = turn;
  const { cwd: directory } = await findThread(parts, caller, threadId);
  const changes = await readChanges(history, { threadId, turnId });
  return { threadId, directory, ...changes };
}
