/*
 * The life of a session lease, as one pure function.
 *
 * L1 One owner at a time. Taking a lease raises its epoch; whoever writes with an older one is refused, so a gateway that
 *    was frozen and wakes up can do no harm.
 * L2 Two clocks. The owner's says whether the lease may be taken; the client's says whether anybody still wants it.
 * L3 While no owner was alive no client could be heard, so that time is not idleness: the client's clock is moved on by it.
 * L4 An end is final.
 */
import { assertNever } from '@clawdfather/kit';
import { ownerStaleMs } from '../limits.ts';
import type { CloseReason } from '../schema/tables.ts';

export interface Owner {
  readonly instanceId: string;
  readonly generation: number;
}

interface LeaseBase {
  readonly epoch: number;
  readonly owner: Owner;
  readonly ownerHeartbeatAtMs: number;
  readonly clientHeartbeatAtMs: number;
}

export type Lease =
  | (LeaseBase & { readonly status: 'pending' })
  | (LeaseBase & {
      readonly status: 'active';
      readonly startedAtMs: number;
      readonly agentSessionId: string | undefined;
    })
  | (LeaseBase & {
      readonly status: 'closed';
      readonly endedAtMs: number;
      readonly closeReason: CloseReason;
    })
  | (LeaseBase & {
      readonly status: 'error';
      readonly endedAtMs: number;
      readonly closeReason: CloseReason;
      readonly errorCode: string;
      readonly errorMessage: string;
    });

export type LeaseEvent =
  | {
      readonly type: 'activated';
      readonly epoch: number;
      readonly atMs: number;
      readonly agentSessionId: string | undefined;
    }
  | {
      readonly type: 'failed';
      readonly epoch: number;
      readonly atMs: number;
      readonly errorCode: string;
      readonly errorMessage: string;
    }
  | {
      readonly type: 'closed';
      readonly epoch: number;
      readonly atMs: number;
      readonly reason: CloseReason;
    }
  | { readonly type: 'owner-beat'; readonly epoch: number; readonly atMs: number }
  | { readonly type: 'client-seen'; readonly atMs: number }
  | { readonly type: 'taken'; readonly by: Owner; readonly atMs: number };

export type LeaseStep =
  | { readonly outcome: 'changed'; readonly lease: Lease }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'refused'; readonly why: 'epoch_stale' | 'ended' | 'owner_alive' };

const unchanged: LeaseStep = { outcome: 'unchanged' };

export function nextLease(lease: Lease, event: LeaseEvent): LeaseStep {
  if ('epoch' in event && event.epoch !== lease.epoch) return refused('epoch_stale');
  if (lease.status === 'closed' || lease.status === 'error') {
    /* Closing twice is what clients do when an answer was lost. */
    return event.type === 'closed' ? unchanged : refused('ended');
  }
  switch (event.type) {
    case 'activated':
      return activate(lease, event);
    case 'failed':
      return changed({
        ...baseOf(lease),
        status: 'error',
        endedAtMs: event.atMs,
        closeReason: 'error',
        errorCode: event.errorCode,
        errorMessage: event.errorMessage,
      });
    case 'closed':
      return close(lease, event);
    case 'owner-beat':
      return event.atMs <= lease.ownerHeartbeatAtMs
        ? unchanged
        : changed({ ...lease, ...heard(lease, event.atMs) });
    case 'client-seen':
      return event.atMs <= lease.clientHeartbeatAtMs
        ? unchanged
        : changed({ ...lease, clientHeartbeatAtMs: event.atMs });
    case 'taken':
      return take(lease, event);
    default:
      return assertNever(event);
  }
}

function activate(
  lease: Lease,
  { atMs, agentSessionId }: Extract<LeaseEvent, { type: 'activated' }>,
): LeaseStep {
  if (lease.status === 'active') return unchanged;
  return changed({ ...baseOf(lease), status: 'active', startedAtMs: atMs, agentSessionId });
}

function close(lease: Lease, { atMs, reason }: Extract<LeaseEvent, { type: 'closed' }>): LeaseStep {
  const ended = { ...baseOf(lease), endedAtMs: atMs, closeReason: reason };
  if (lease.status === 'active') return changed({ ...ended, status: 'closed' });
  /* What never became active cannot be closed (contract); it did not start, and why is known. */
  return changed({
    ...ended,
    status: 'error',
    errorCode: 'cancelled',
    errorMessage: 'closed before it had started',
  });
}

function take(lease: Lease, { by, atMs }: Extract<LeaseEvent, { type: 'taken' }>): LeaseStep {
  const isOwnInstance = by.instanceId === lease.owner.instanceId;
  if (isOwnInstance && by.generation === lease.owner.generation) return unchanged;
  /* A newer generation of an instance is proof that the older one is gone: they share a state directory and its lock. */
  const isSuccessor = isOwnInstance && by.generation > lease.owner.generation;
  const isStale = atMs - lease.ownerHeartbeatAtMs > ownerStaleMs;
  if (!isSuccessor && (isOwnInstance || !isStale)) return refused('owner_alive');
  const clientHeartbeatAtMs = withoutDowntime(lease, atMs);
  return changed({
    ...lease,
    epoch: lease.epoch + 1,
    owner: by,
    ownerHeartbeatAtMs: Math.max(atMs, lease.ownerHeartbeatAtMs),
    clientHeartbeatAtMs,
  });
}

/* A machine that slept wakes up with the owner it had: silence beyond the limit is downtime here, too. */
function heard(
  lease: Lease,
  atMs: number,
): Pick<LeaseBase, 'ownerHeartbeatAtMs' | 'clientHeartbeatAtMs'> {
  const wasDown = atMs - lease.ownerHeartbeatAtMs > ownerStaleMs;
  return {
    ownerHeartbeatAtMs: atMs,
    clientHeartbeatAtMs: wasDown ? withoutDowntime(lease, atMs) : lease.clientHeartbeatAtMs,
  };
}

/** L3. */
function withoutDowntime(lease: Lease, atMs: number): number {
  const downMs = Math.max(0, atMs - Math.max(lease.ownerHeartbeatAtMs, lease.clientHeartbeatAtMs));
  return lease.clientHeartbeatAtMs + downMs;
}

function baseOf({ epoch, owner, ownerHeartbeatAtMs, clientHeartbeatAtMs }: Lease): LeaseBase {
  return { epoch, owner, ownerHeartbeatAtMs, clientHeartbeatAtMs };
}

function changed(lease: Lease): LeaseStep {
  return { outcome: 'changed', lease };
}

function refused(why: Extract<LeaseStep, { outcome: 'refused' }>['why']): LeaseStep {
  return { outcome: 'refused', why };
}
