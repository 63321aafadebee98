/*
 * `clf threads verify`: is a conversation stored as its agents said it (docs/threads.md).
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Execute } from '../command.ts';
import { codeStatus, exitChecksFailed, exitOk } from '../exit-status.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import { findThread } from '../threads/find-thread.ts';
import { withThreads } from '../threads/with-threads.ts';
import type { threadsVerifySpec } from './agent-specs.ts';

type Verification = AnswerOf<Api['history']['verify']>;
type Run = Verification['runs'][number];

export const execute: Execute<typeof threadsVerifySpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { id } = await findThread(client, context.operands.thread);
    const found = await client.history.verify({ params: { id } });
    await context.io.stdout.write(
      context.isJson ? jsonLine(verificationJson(found)) : formatVerification(found),
    );
    const isGood = found.differs === 0 && found.missing.length === 0;
    return codeStatus(isGood ? exitOk : exitChecksFailed);
  });

export function formatVerification(found: Verification): string {
  const { events, missing, through, checksum } = found;
  const lines = found.runs.map((run) => `${run.run_id}  ${formatRun(run)}`);
  if (lines.length === 0) lines.push('no agent has run in it yet');
  for (const { from, to } of missing) {
    lines.push(
      `missing in the database: ${from === to ? `event ${from}` : `events ${from}–${to}`}`,
    );
  }
  if (!found.is_complete) {
    lines.push(`it was too long: only events up to ${through} of ${found.newest_seq} were read`);
  }
  lines.push(
    `${events} events; runs: ${found.same} same, ${found.differs} different, ${found.not_comparable} not comparable`,
    `checksum ${checksum}`,
  );
  return `${lines.join('\n')}\n`;
}

const reasons: Readonly<Record<NonNullable<Run['reason']>, string>> = {
  forgotten: 'it ended long ago, and where it was read to is forgotten',
  collected: 'its journal was removed',
  trimmed: 'its journal has dropped its oldest output',
  damaged: 'its journal is damaged',
  another_machine: 'its journal is on another machine',
  host: 'it works on a host',
  too_long: 'the conversation is too long',
  no_time: 'there was no time left',
};

function formatRun({ outcome, reason, compared, difference }: Run): string {
  if (reason !== null) return `not comparable: ${reasons[reason]}`;
  if (outcome === 'same' || difference === null) return `same (${compared} compared)`;
  const { kind, what, seq, last_seq: lastSeq } = difference;
  const events = seq === lastSeq ? `event ${seq}` : `events ${seq}–${lastSeq}`;
  switch (what) {
    case 'changed':
      return `DIFFERS at ${events}: this ${kind} is not what the journal has`;
    case 'added':
      return `DIFFERS at ${events}: this ${kind} is not in the journal`;
    case 'missing':
      return `DIFFERS after event ${seq}: the journal goes on with a ${kind}`;
    case 'end-unfit':
      return `DIFFERS at ${events}: it has another length or hash than the ${kind} that it ends`;
  }
}

function verificationJson(found: Verification) {
  return {
    threadId: found.thread_id,
    through: found.through,
    newestSeq: found.newest_seq,
    isComplete: found.is_complete,
    events: found.events,
    checksum: found.checksum,
    missing: found.missing.map(({ from, to }) => ({ from, to })),
    runs: found.runs.map(({ run_id: runId, outcome, reason, compared, difference }) => ({
      runId,
      outcome: outcome === 'not_comparable' ? 'not-comparable' : outcome,
      reason: reason?.replaceAll('_', '-') ?? null,
      compared,
      difference: difference && {
        kind: difference.kind,
        what: difference.what,
        seq: difference.seq,
        lastSeq: difference.last_seq,
        storedSha256: difference.stored_sha256,
        journalSha256: difference.journal_sha256,
      },
    })),
  } satisfies Json;
}
