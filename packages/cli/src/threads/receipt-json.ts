/*
 * A receipt as JSON, in the shape that docs/cli-json.md promises to keep.
 */
import type { Json } from '../render/run-json.ts';
import type { WholeReceipt } from './read-receipt.ts';

export function receiptJson(whole: WholeReceipt, isSinceSeen: boolean) {
  const { last } = whole;
  return {
    threadId: last.thread_id,
    since: whole.since,
    isSinceSeen,
    through: last.through,
    sinceAt: whole.since_at,
    lastAt: whole.parts.reduce<string | null>((at, { receipt }) => receipt.last_at ?? at, null),
    now: last.now,
    awayMs: whole.away_ms,
    isProven: whole.isProven,
    events: whole.events,
    received: whole.received,
    bytes: whole.bytes,
    missing: whole.missing.map(({ from, to }) => ({ from, to })),
    parts: whole.parts.map(({ receipt, proof }) => ({
      since: receipt.since,
      through: receipt.through,
      checksum: receipt.checksum,
      computed: proof.checksum,
    })),
    gateways: whole.gateways.map((one) => ({
      instanceId: one.instance_id,
      starts: one.starts,
      firstGeneration: one.first_generation,
      lastGeneration: one.last_generation,
      lastStartedAt: one.last_started_at,
    })),
    files: whole.files.map(({ path, is_new: isNew, is_done: isDone, kind, added, removed }) => ({
      path,
      isNew,
      isDone,
      kind,
      added,
      removed,
    })),
    filesTotal: whole.filesTotal,
    added: whole.added,
    removed: whole.removed,
    filesArePartial: whole.filesArePartial,
    decisions: whole.decisions.map((one) => ({
      seq: one.seq,
      askId: one.ask_id,
      turnId: one.turn_id,
      class: one.class,
      answer: one.answer,
      by: one.by,
      byName: one.by_name,
      at: one.at,
    })),
    decisionsTotal: whole.decisionsTotal,
    turns: whole.turns.map(({ turn_id: turnId, status, code, cause, ended_at: endedAt }) => ({
      turnId,
      status,
      code,
      cause,
      endedAt,
    })),
    turnsTotal: whole.turnsTotal,
    state: {
      status: last.state.status,
      runningTurnId: last.state.running_turn_id,
      waitingTurns: last.state.waiting_turns,
      openAsks: last.state.open_asks,
    },
  } satisfies Json;
}
