/*
 * The caller of a request, as its token or cookie names it.
 */
import type { Access, Scope } from '@clawdfather/protocol/api';
import type { AccountId } from '@clawdfather/store';
import { ApiError } from './api-error.ts';

export interface Caller {
  /* A device is a person who signed in. A token may be in the hands of a program or an agent. */
  readonly kind: 'device' | 'token';
  readonly accountId: AccountId;
  /* The device's or token's id, never the secret. */
  readonly id: string;
  /* What the person called the device or token. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number;
  /* The owner of the machine also sees the runs that were started on it without the gateway. */
  readonly isOwner: boolean;
  /* A browser sends its cookie with every request, so a request by cookie must come from our own page. */
  readonly cameBy: 'bearer' | 'cookie';
}

/* Throws `forbidden`, with the scope that is missing. */
export function checkAccess(caller: Caller, access: Access): void {
  if (mayCall(caller, access)) return;
  throw new ApiError('forbidden', undefined, { detail: { needs: access, has: caller.scopes } });
}

function mayCall(caller: Caller, access: Access): boolean {
  if (access === 'open') return true;
  if (access === 'person') return caller.kind === 'device';
  // Those are known by another key than a caller's (register-endpoints.ts).
  if (access === 'agent') return false;
  return caller.scopes.includes(access);
}

/* For the audit log and for the record of a run: who, in one word. */
export function actorOf({ kind, id }: Caller): string {
  return `${kind}:${id}`;
}

export function isOfDevice(actor: string): boolean {
  return actor.startsWith('device:');
}

export function isOfToken(actor: string): boolean {
  return actor.startsWith('token:');
}
