/*
 * Which run a caller means: by its id or a unique beginning, among the runs of the caller's account.
 *
 * A run of another account looks like one that does not exist: the same error, and it is never suggested.
 */
import { suggestNearest } from '@clawdfather/kit';
import type { RunFilter, RunId, RunRecord } from '@clawdfather/supervisor';
import { accountLabel, execBackend } from '@clawdfather/supervisor/origins';
import type { ApprovalSummary, HeldFilter } from '../approvals/gatekeeper.ts';
import type { Starting, ToolCall, ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';

export type FoundRun =
  | { readonly kind: 'run'; readonly record: RunRecord }
  /* It waits for a decision, was denied, or has been allowed and not yet started. */
  | { readonly kind: 'held'; readonly approval: ApprovalSummary }
  /* Asked for and not recorded yet, or never. */
  | { readonly kind: 'starting'; readonly runId: string; readonly start: Starting };

/* The newest: enough to find a near miss. */
const candidatesMax = 200;

/* Throws `unknown-run`, `run-ambiguous`. */
export function findRun(context: ToolsContext, idOrPrefix: string, call: ToolCall): FoundRun {
  return (
    findExactly(context, idOrPrefix, call) ??
    findByPrefix(context, idOrPrefix, call) ??
    unknown(context, idOrPrefix, call)
  );
}

/* Throws `run-held` as well: for actions that need a process, or its output. */
export function findRecord(context: ToolsContext, idOrPrefix: string, call: ToolCall): RunRecord {
  const found = findRun(context, idOrPrefix, call);
  if (found.kind === 'run') return found.record;
  const runId = idOf(found);
  throw new ToolsError('run-held', `run ${runId} has not started yet`, {
    detail: { runId },
    hint: 'Poll it: that waits until it has.',
  });
}

export function idOf(found: FoundRun): string {
  if (found.kind === 'run') return found.record.runId;
  return found.kind === 'held' ? found.approval.runId : found.runId;
}

export function filterOf({ account }: Pick<ToolCall, 'account'>): RunFilter {
  return { backendId: execBackend, labels: { [accountLabel]: account } };
}

function findExactly(
  { supervisor, gatekeeper, starting, failedStarts, takeOver, terminals }: ToolsContext,
  id: string,
  { account, sees = (run) => isVisible(run, account) }: ToolCall,
): FoundRun | undefined {
  const record = supervisor.get(id as RunId);
  if (record !== undefined) {
    if (!sees(record)) return undefined;
    takeOver.lookAfter(record);
    terminals.watchIfOurs(record);
    return { kind: 'run', record };
  }
  const begun = starting.get(id);
  if (begun?.account === account) return { kind: 'starting', runId: id, start: begun };
  const approval = gatekeeper.approvalOf(id);
  const isTheirs = approval?.account === account && approval.state !== 'started';
  if (isTheirs) return { kind: 'held', approval };
  const failed = failedStarts.get(id);
  return failed?.account === account ? { kind: 'starting', runId: id, start: failed } : undefined;
}

export function isVisible(record: RunRecord, account: string): boolean {
  return (
    record.backendId === execBackend &&
    record.labels[accountLabel] === account &&
    record.removedAtMs === undefined
  );
}

function findByPrefix(context: ToolsContext, prefix: string, call: ToolCall): FoundRun | undefined {
  if (!/^[0-9a-z][0-9a-z-]*$/.test(prefix)) return undefined;
  const found = context.supervisor.list({ ...filterOf(call), idPrefix: prefix, limit: 2 });
  const held = context.gatekeeper.list({ ...unstartedOf(call), runIdPrefix: prefix, limit: 2 });
  const ids = [...found.map(({ runId }) => runId as string), ...held.map(({ runId }) => runId)];
  const [first, second] = ids;
  if (first === undefined) return undefined;
  if (second === undefined) return findExactly(context, first, call);
  throw new ToolsError('run-ambiguous', `several runs begin with ${JSON.stringify(prefix)}`, {
    detail: { runIds: ids },
    hint: 'Give more of the id.',
  });
}

/* Not started, and it may be. */
export function heldBy({ account }: Pick<ToolCall, 'account'>): HeldFilter {
  return { states: ['pending', 'allowed'], accounts: [account] };
}

/* Also those that never will. */
function unstartedOf({ account }: Pick<ToolCall, 'account'>): HeldFilter {
  return { states: ['pending', 'allowed', 'denied', 'expired', 'changed'], accounts: [account] };
}

function unknown(context: ToolsContext, id: string, call: ToolCall): never {
  const records = context.supervisor.list({ ...filterOf(call), limit: candidatesMax });
  const held = context.gatekeeper.list({ ...heldBy(call), limit: candidatesMax });
  const known = [...records.map(({ runId }) => runId as string), ...held.map(({ runId }) => runId)];
  const nearest = suggestNearest(id, known);
  throw new ToolsError('unknown-run', `no run ${JSON.stringify(id)} is known`, {
    detail: { runId: id, ...(nearest === undefined ? {} : { nearest }) },
    hint: nearest === undefined ? 'List the runs there are.' : `Did you mean ${nearest}?`,
  });
}
