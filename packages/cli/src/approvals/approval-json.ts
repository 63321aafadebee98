/*
 * Approvals as JSON, in the shape that docs/cli.md promises to keep. The stored request is not in it: it holds the
 * command's whole environment.
 */
import { directoryOnHost, localHost } from '@clawdfather/supervisor/origins';
import type { ApprovalRecord } from '@clawdfather/tools';
import { formatInstant } from '../render/duration.ts';
import type { Json } from '../render/run-json.ts';

/* `stateDir`: where it waits; null at a gateway, which does not say. */
export function approvalJson(
  record: ApprovalRecord,
  stateDir: string | null,
): { readonly [name: string]: Json } {
  const { command, envAdditions, stdin, account, runAs } = record.action;
  const { cwd, host, hostName = host } = record.action;
  return {
    id: record.approvalId,
    runId: record.runId,
    state: record.state,
    line: command.kind === 'line' ? command.line : null,
    shell: command.kind === 'line' ? command.shell : null,
    argv: command.kind === 'argv' ? command.argv : null,
    cwd: host === localHost ? cwd : directoryOnHost(cwd),
    env: envAdditions,
    stdin: stdin ?? null,
    droppedBytes: record.droppedBytes ?? null,
    host: hostName,
    account,
    runAs: runAs ?? null,
    requester: record.requester,
    askedWith: record.asker?.name ?? null,
    why: record.why,
    digest: record.actionHash,
    createdAt: formatInstant(record.createdAtMs),
    expiresAt: formatInstant(record.expiresAtMs),
    decision: record.decision ?? null,
    decidedBy: record.decidedBy ?? null,
    decidedAt: record.decidedAtMs === undefined ? null : formatInstant(record.decidedAtMs),
    reason: record.reason ?? null,
    bound: record.binding ?? null,
    changed: record.changed ?? null,
    askedAgainAs: record.askedAgainAs ?? null,
    stateDir,
  };
}
