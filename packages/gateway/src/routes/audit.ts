/*
 * The audit log over HTTP: pages by cursor, because entries are added while a client reads.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { AuditRecord, Store } from '@clawdfather/store';
import { formatTime } from '../http/format-time.ts';
import type { Handlers } from '../http/handlers.ts';

export function createAuditHandlers({ store }: { readonly store: Store }): Handlers<Api['audit']> {
  return {
    list: async ({ caller, query }) => {
      const { before, action, limit } = query;
      const page = await store.forAccount(caller.accountId).auditLog.list({
        limit,
        ...(before === undefined ? {} : { before }),
        ...(action === undefined ? {} : { action }),
      });
      return {
        entries: page.entries.map(show),
        has_more: page.hasMore,
        next_before: page.nextBefore ?? null,
      };
    },
  };
}

function show(entry: AuditRecord) {
  return {
    seq: entry.seq,
    action: entry.action,
    actor: entry.actor,
    target: entry.target ?? null,
    ip: entry.ip ?? null,
    trace_id: entry.traceId ?? null,
    detail: entry.detail ?? {},
    at: formatTime(entry.atMs),
  };
}
