/*
 * What is done to runs, in the audit log. Runs live in this machine's registry and not in the control database, so entry and effect
 * cannot share a transaction. There is one rule for HTTP, sockets and MCP:
 *
 *   a start that nobody was asked about   is recorded before it happens, or does not happen
 *   what is held or denied                is recorded when it is; nothing has started
 *   the start of what was held            is in the registry with its approval, and comes from there (approval-audit.ts)
 *   an ending, a signal                   happens even if its entry cannot be written; then the log has it
 *
 * An entry has the command, cut, and never its input or environment. The log is its account's own.
 */
import type { Log } from '@clawdfather/kit';
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import type { AuditEntry, Store } from '@clawdfather/store';
import { localHost } from '@clawdfather/supervisor/origins';
import { commandText, cutText, type ProposedAction, type UnaskedStart } from '@clawdfather/tools';
import { auditOf } from '../http/handlers.ts';
import type { Asking } from './run-call.ts';

export interface RunAuditDeps {
  readonly store: Store;
  readonly log: Log;
}

export type EndingAction = 'run.signal' | 'run.cancel' | 'run.remove';

export interface Ending {
  readonly runId: string;
  readonly action: EndingAction;
  readonly detail?: AuditDetail;
}

export type AuditDetail = NonNullable<AuditEntry['detail']>;

/* Enough to know it again; a script of many lines is in the run's own record. */
const commandCharactersMax = 1_024;

export function shownCommand(command: ProposedAction['command']): string {
  return cutText(commandText(command), commandCharactersMax);
}

/* Rejects when there is no room for it: a start without an entry could not be traced. */
export async function recordStart(
  deps: RunAuditDeps,
  asking: Asking,
  { runId, action, rule, rules }: UnaskedStart,
): Promise<void> {
  const detail = {
    host: action.hostName ?? action.host,
    command: shownCommand(action.command),
    allowed_by: rule,
    ...(rules.length === 0 ? {} : { rules }),
  };
  await record(deps, asking, { action: 'run.start', target: runId, detail });
}

/*
 * What was asked for and has not started; of what was let start and could not, `run.start` was there before. Never rejects: the registry
 * has what is held, and nothing has come of the rest.
 */
export async function recordUnstarted(
  deps: RunAuditDeps,
  asking: Asking,
  asked: {
    readonly runId: string;
    readonly params: ExecParams;
    readonly result: ExecResult;
  },
): Promise<void> {
  const { runId, params, result } = asked;
  const { command, argv = [], host = localHost } = params;
  const what = { host, command: cutText(command ?? argv.join(' '), commandCharactersMax) };
  const unstarted = unstartedOf(result);
  if (unstarted === undefined) return;
  const { action, why } = unstarted;
  const entry: Entry = { action, target: runId, detail: { ...what, ...why } };
  try {
    await record(deps, asking, entry);
  } catch (error) {
    deps.log.error('run.request-unrecorded', { runId, action: entry.action, error });
  }
}

/* Undefined: it has started. */
function unstartedOf(
  result: ExecResult,
): { readonly action: string; readonly why: AuditDetail } | undefined {
  switch (result.status) {
    case 'denied':
      return { action: 'run.denied', why: { rule: result.rule } };
    case 'approval-pending':
      return { action: 'run.held', why: { approval: result.approvalId } };
    case 'failed': {
      const isStartFault = startFaults.has(result.kind) && result.exitCode === undefined;
      return isStartFault ? { action: 'run.unstarted', why: { why: result.message } } : undefined;
    }
    default:
      return undefined;
  }
}

/* With an exit code these are what a shell says, which has started. */
const startFaults: ReadonlySet<string> = new Set([
  'spawn-error',
  'command-not-found',
  'not-executable',
]);

/* Never rejects: a full disk must not keep a caller from ending the run that fills it. */
export async function recordEnding(
  deps: RunAuditDeps,
  asking: Asking,
  { runId, action, detail = {} }: Ending,
): Promise<void> {
  try {
    await record(deps, asking, { action, target: runId, detail });
  } catch (error) {
    deps.log.error('run.ending-unrecorded', { runId, action, error });
  }
}

interface Entry {
  readonly action: string;
  readonly target: string;
  readonly detail: AuditDetail;
}

async function record(
  { store }: RunAuditDeps,
  { caller, origin }: Asking,
  { action, target, detail }: Entry,
): Promise<void> {
  const { ip, traceId, via } = origin;
  const whole = { who: caller.name, ...detail, ...(via === undefined ? {} : { via }) };
  const entry = auditOf({ ip, traceId, caller }, action, whole);
  await store.forAccount(caller.accountId).auditLog.record({ ...entry, target });
}
