/*
 * What is done to runs, in the audit log. Runs live in this machine's registry and not in the control database, so entry and effect
 * cannot share a transaction. There is one rule for HTTP, sockets and MCP:
 *
 *   a start                      is recorded before it happens, or does not happen
 *   an ending, a signal          happens even if its entry cannot be written; then the log has it
 */
import type { Log } from '@clawdfather/kit';
import type { AuditEntry, Store } from '@clawdfather/store';
import { auditOf } from '../http/handlers.ts';
import type { Asking } from './run-call.ts';

export interface RunAuditDeps {
  readonly store: Store;
  readonly log: Log;
}

export type EndingAction = 'run.signal' | 'run.cancel' | 'run.remove';

type Detail = NonNullable<AuditEntry['detail']>;

/* Rejects when there is no room for it: a start without an entry could not be traced. */
export async function recordStart(
  deps: RunAuditDeps,
  asking: Asking,
  { runId, host }: { readonly runId: string; readonly host: string },
): Promise<void> {
  await record(deps, asking, { action: 'run.start', target: runId, detail: { host } });
}

/* Never rejects: a full disk must not keep a caller from ending the run that fills it. */
export async function recordEnding(
  deps: RunAuditDeps,
  asking: Asking,
  { runId, action }: { readonly runId: string; readonly action: EndingAction },
): Promise<void> {
  try {
    await record(deps, asking, { action, target: runId, detail: {} });
  } catch (error) {
    deps.log.error('run.ending-unrecorded', { runId, action, error });
  }
}

interface Entry {
  readonly action: string;
  readonly target: string;
  readonly detail: Detail;
}

async function record(
  { store }: RunAuditDeps,
  { caller, origin }: Asking,
  { action, target, detail }: Entry,
): Promise<void> {
  const { ip, traceId, via } = origin;
  const whole: Detail = via === undefined ? detail : { ...detail, via };
  const shown = Object.keys(whole).length === 0 ? undefined : whole;
  const entry = auditOf({ ip, traceId, caller }, action, shown);
  await store.forAccount(caller.accountId).auditLog.record({ ...entry, target });
}
