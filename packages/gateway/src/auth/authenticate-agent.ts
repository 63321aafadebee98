/*
 * Finds the agent that a request comes from, by the key of its run. The key is good at the endpoints for agents and nowhere else: every
 * other way in asks `authenticate`, which does not know such keys.
 *
 * It is asked of the database each time, so a key is worthless in the moment in which its run has ended.
 */
import type { KeyHolder } from '@clawdfather/agents';
import type { AccountId, Store } from '@clawdfather/store';
import type { Caller } from '../http/caller.ts';
import { type AuthenticateDeps, badToken, type Credentials } from './authenticate.ts';
import { hashSecret, isAgentKeyText } from './token-text.ts';

export interface AskingAgent {
  readonly agent: KeyHolder;
  /* For limits and fairness: as any program that holds a token, without a scope. */
  readonly caller: Caller;
}

/* `undefined`: the request has no such key. Throws `unauthorized` or `rate_limited` for a bad one. */
export type AuthenticateAgent = (credentials: Credentials) => Promise<AskingAgent | undefined>;

export function createAuthenticateAgent(
  deps: Pick<AuthenticateDeps, 'limits' | 'ownerId'> & { readonly store: Store },
): AuthenticateAgent {
  return async ({ authorization = '', ip }) => {
    const key = /^bearer ([^ ]+)$/i.exec(authorization)?.[1] ?? '';
    if (!isAgentKeyText(key)) return undefined;
    const agent = await deps.store.system.agentKeys.find(hashSecret(key));
    if (agent === undefined) throw await badToken(deps, ip);
    return { agent, caller: callerOf(agent, deps.ownerId) };
  };
}

function callerOf({ accountId, runId }: KeyHolder, ownerId: AccountId): Caller {
  return {
    kind: 'token',
    accountId,
    id: runId,
    name: 'agent',
    scopes: [],
    expiresAtMs: Number.POSITIVE_INFINITY,
    isOwner: accountId === ownerId,
    cameBy: 'bearer',
  };
}
