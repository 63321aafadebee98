/*
 * An approval on the wire: what a person has to see before deciding. Characters that hide or reorder text are shown by their code;
 * line ends stay.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { makeLinesVisible, makeVisible } from '@clawdfather/kit';
import type { ApprovalRecord } from '@clawdfather/tools';
import { formatTime } from '../http/format-time.ts';

export type ApprovalJson = AnswerOf<Api['approvals']['get']>;

/* A hash tells what is in a short file, and an agent may hold a token: only people get them. */
export type Hashes = 'shown' | 'withheld';

export function approvalJson(record: ApprovalRecord, nowMs: number, hashes: Hashes): ApprovalJson {
  const { command, cwd, envAdditions, stdin, account, runAs = null } = record.action;
  const { host, hostName = host } = record.action;
  const env = Object.entries(envAdditions).map(([name, value]) => [
    makeVisible(name),
    makeLinesVisible(value),
  ]);
  return {
    id: record.approvalId,
    runId: record.runId,
    state: record.state,
    digest: record.actionHash,
    line: command.kind === 'line' ? makeLinesVisible(command.line) : null,
    shell: command.kind === 'line' ? makeVisible(command.shell) : null,
    argv: command.kind === 'argv' ? command.argv.map(makeLinesVisible) : null,
    cwd: makeVisible(cwd),
    env: Object.fromEntries(env) as Record<string, string>,
    stdin: stdin === undefined ? null : makeLinesVisible(stdin),
    droppedBytes: record.droppedBytes ?? null,
    host: makeVisible(hostName),
    account,
    runAs,
    requester: makeVisible(record.requester),
    askedWith: record.asker === undefined ? null : makeVisible(record.asker.name),
    why: makeVisible(record.why),
    createdAt: formatTime(record.createdAtMs),
    ageMs: Math.max(0, Math.round(nowMs - record.createdAtMs)),
    expiresAt: formatTime(record.expiresAtMs),
    decision: record.decision ?? null,
    decidedBy: record.decidedBy ?? null,
    decidedAt: formatTime(record.decidedAtMs),
    reason: record.reason === undefined ? null : makeVisible(record.reason),
    bound: boundJson(record.binding, hashes),
    changed: record.changed === undefined ? null : makeVisible(record.changed),
    askedAgainAs: record.askedAgainAs ?? null,
  };
}

function boundJson(binding: ApprovalRecord['binding'], hashes: Hashes): ApprovalJson['bound'] {
  if (binding === undefined) return null;
  const { directory, files, unbound, more } = binding;
  return {
    directory,
    files: files.map(({ path, bytes, sha256 }) => ({
      path: makeVisible(path),
      bytes,
      sha256: hashes === 'shown' ? sha256 : null,
    })),
    unbound: unbound.map(({ path, why }) => ({ path: makeVisible(path), why })),
    more,
  };
}
