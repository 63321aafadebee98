/*
 * Counts a call of an endpoint that has a limit, whichever wire it came over: JSON-RPC counts for the same limits as the API.
 */
import type { Endpoint, EndpointLimit } from '@clawdfather/protocol/api';
import type { SessionLimits } from '../accounts/session-bounds.ts';
import type { Caller } from './caller.ts';
import { clientNetworkOf } from './client-network.ts';
import { type RateLimits, rateLimited, type Standing } from './rate-limit.ts';

export interface CountDeps {
  readonly limits: RateLimits;
  readonly sessionLimits: Pick<SessionLimits, 'hitsMaxOf'>;
}

export interface Counted {
  readonly endpoint: Pick<Endpoint, 'limit' | 'method' | 'path'>;
  /* Absent where nobody has to sign in. */
  readonly caller: Caller | undefined;
  readonly ip: string;
  /* Of the thing that the address names. */
  readonly id?: string | undefined;
}

/* Throws `rate_limited`. Undefined: there is no limit for this caller. */
export async function countRequest(
  { limits, sessionLimits }: CountDeps,
  counted: Counted,
): Promise<Standing | undefined> {
  const { endpoint, caller } = counted;
  const { limit: usual, method, path } = endpoint;
  if (usual === undefined || isUnlimited(usual, caller)) return undefined;
  const hitsMax = sessionLimits.hitsMaxOf(usual, caller?.accountId);
  const limit = { ...usual, hitsMax };
  const subject = subjectOf(usual.per, counted);
  const standing = await limits.count({ scope: `${method} ${path}`, subject, limit });
  if (!standing.isAllowed) throw rateLimited(standing);
  return standing;
}

/* Limits of an account are for members, and for tokens, which a loop may hold. The owner has the machine. */
function isUnlimited({ per }: EndpointLimit, caller: Caller | undefined): boolean {
  return per === 'account' && caller?.isOwner === true && caller.kind === 'device';
}

function subjectOf(per: EndpointLimit['per'], { caller, ip, id }: Counted): string {
  const account = caller?.accountId ?? '';
  if (per === 'ip') return clientNetworkOf(ip);
  return per === 'account' ? account : `${account}/${id ?? ''}`;
}
