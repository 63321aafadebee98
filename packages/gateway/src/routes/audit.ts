/*
 * The audit log over HTTP: pages by cursor, because entries are added while a client reads.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { AuditRecord, Store } from '@clawdfather/store';
import { cliAccount } from '@clawdfather/supervisor/origins';
import type { Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import type { Handlers } from '../http/handlers.ts';
import { namesForCaller } from '../runs/actor-names.ts';
import type { AuditDetail } from '../runs/run-audit.ts';

export function createAuditHandlers({ store }: { readonly store: Store }): Handlers<Api['audit']> {
  return {
    list: async ({ caller, query }) => {
      const { before, action, target, limit } = query;
      const page = await store.forAccount(caller.accountId).auditLog.list({
        limit,
        ...(before === undefined ? {} : { before }),
        ...(action === undefined ? {} : { action }),
        ...(target === undefined ? {} : { target }),
      });
      return {
        entries: page.entries.map((entry) => show(entry, caller)),
        has_more: page.hasMore,
        next_before: page.nextBefore ?? null,
        names: await namesForCaller(
          store,
          caller,
          page.entries.map(({ actor }) => actor),
        ),
      };
    },
  };
}

/* A token may be an agent's, which sees nothing of what a person does at a terminal of the machine: not in the log either. */
function detailFor({ detail = {} }: AuditRecord, { kind }: Caller): AuditDetail {
  if (kind === 'device' || detail['account'] !== cliAccount || !('command' in detail))
    return detail;
  return { ...detail, command: null };
}

function show(entry: AuditRecord, caller: Caller) {
  return {
    seq: entry.seq,
    action: entry.action,
    actor: entry.actor,
    target: entry.target ?? null,
    ip: entry.ip ?? null,
    trace_id: entry.traceId ?? null,
    detail: detailFor(entry, caller),
    at: formatTime(entry.atMs),
  };
}
