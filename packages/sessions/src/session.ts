/*
 * A session: a client's window on work, held by one gateway at a time.
 *
 * pending ── activated ──► active ── closed, idle, lost ──► closed
 *    │                        └──────── failed ────────────► error
 *    └────── closed, idle, lost, failed ──────────────────► error
 *
 * `closed` and `error` are ends, and an end is final. `error` is the end of a session that never was active, or that lost what it
 * needs.
 */
import type { AccountId } from '@clawdfather/kit';

export type SessionStatus = 'pending' | 'active' | 'closed' | 'error';
export type CloseReason = 'user' | 'timeout' | 'error' | 'server_closed' | 'key_revoked';
/* Reasons of a close on request; a timeout is not one of them. */
export type WishedReason = Extract<CloseReason, 'user' | 'server_closed' | 'key_revoked'>;

/* One start of one gateway. */
export interface Owner {
  readonly instanceId: string;
  readonly generation: number;
}

interface Held {
  /* Raised by every change of owner. A write with an older epoch is refused. */
  readonly epoch: number;
  readonly owner: Owner;
  readonly ownerHeartbeatAtMs: number;
  readonly clientHeartbeatAtMs: number;
}

export type PendingSession = Held & { readonly status: 'pending' };
export type ActiveSession = Held & {
  readonly status: 'active';
  readonly startedAtMs: number;
  /* Of a session that was started with an agent: the key of the agent's session. */
  readonly agentSessionId?: string | undefined;
};
export type OpenSession = PendingSession | ActiveSession;
export type SessionState =
  | OpenSession
  | (Held & {
      readonly status: 'closed';
      readonly endedAtMs: number;
      readonly closeReason: CloseReason;
    })
  | (Held & {
      readonly status: 'error';
      readonly endedAtMs: number;
      readonly closeReason: CloseReason;
      readonly errorCode: string;
      readonly errorMessage: string;
    });

export interface SessionName {
  readonly accountId: AccountId;
  readonly id: string;
}

/* A session as it is stored. */
export interface SessionRecord {
  readonly id: string;
  /* Absent for a session on the gateway's own machine. */
  readonly connectionId?: string | undefined;
  readonly agent: string;
  readonly agentSessionId?: string | undefined;
  readonly status: SessionStatus;
  readonly epoch: number;
  readonly ownerInstanceId: string;
  readonly clientHeartbeatAtMs: number;
  readonly createdAtMs: number;
  readonly startedAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
  readonly closeReason?: CloseReason | undefined;
  readonly errorCode?: string | undefined;
  readonly errorMessage?: string | undefined;
}
