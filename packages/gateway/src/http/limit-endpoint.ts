/*
 * The limit of an endpoint, counted for a caller: over HTTP, and over a socket that offers the same.
 */
import type { Endpoint } from '@clawdfather/protocol/api';
import type { SessionLimits } from '../accounts/session-bounds.ts';
import type { Caller } from './caller.ts';
import { clientNetworkOf } from './client-network.ts';
import { rateLimited, type RateLimits, type Standing } from './rate-limit.ts';

export interface EndpointLimitsDeps {
  readonly limits: RateLimits;
  readonly sessionLimits: Pick<SessionLimits, 'hitsMaxOf'>;
}

export interface LimitedCall {
  readonly caller: Caller | undefined;
  readonly ip: string;
  /* Of the resource in the path. */
  readonly id: string | undefined;
}

/* Throws `rate_limited`. Undefined: it has no limit for this caller. */
export async function limitEndpoint(
  { limits, sessionLimits }: EndpointLimitsDeps,
  { limit: usual, method, path }: Pick<Endpoint, 'limit' | 'method' | 'path'>,
  call: LimitedCall,
): Promise<Standing | undefined> {
  if (usual === undefined) return undefined;
  const { caller } = call;
  // Limits of an account are for members, and for tokens, which a loop may hold. The owner has the machine.
  const isUnlimited = usual.per === 'account' && caller?.isOwner && caller.kind === 'device';
  if (isUnlimited === true) return undefined;
  const hitsMax = sessionLimits.hitsMaxOf(usual, caller?.accountId);
  const limit = { ...usual, hitsMax };
  const subject = subjectOf(limit.per, call);
  const standing = await limits.count({ scope: `${method} ${path}`, subject, limit });
  if (!standing.isAllowed) throw rateLimited(standing);
  return standing;
}

function subjectOf(per: 'ip' | 'account' | 'connection', { caller, ip, id }: LimitedCall): string {
  const account = caller?.accountId ?? '';
  if (per === 'ip') return clientNetworkOf(ip);
  if (per === 'account') return account;
  return `${account}/${id ?? ''}`;
}
