/*
 * Tokens for programs. The token is in the answer that made it and nowhere else.
 */
import type { Random } from '@clawdfather/kit';
import type { Api } from '@clawdfather/protocol/api';
import type { ApiToken, Store } from '@clawdfather/store';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { hashSecret, newToken } from '../auth/token-text.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { formatTime } from '../http/format-time.ts';
import { auditOf, type Handlers } from '../http/handlers.ts';
import { pageOfAll } from './page-of-all.ts';

export interface TokensParts {
  readonly store: Store;
  readonly random: Random;
  readonly tokens: LiveTokens;
}

export function createTokensHandlers(parts: TokensParts): Handlers<Api['tokens']> {
  const { store, random, tokens } = parts;
  return {
    list: async ({ caller, query }) => {
      const all = await store.forAccount(caller.accountId).apiTokens.list();
      return pageOfAll(all.map(show), query);
    },
    create: async (call) => {
      const { label, scopes } = call.body;
      const token = newToken(random);
      const made = await store.forAccount(call.caller.accountId).apiTokens.create({
        tokenHash: hashSecret(token),
        label,
        scopes,
        audit: auditOf(call, 'token.create', { label, scopes }),
      });
      if (made.outcome === 'label_exists') throw labelTaken(label);
      return { ...show(made.token), token };
    },
    revoke: async (call) => {
      const { id } = call.params;
      const { apiTokens } = store.forAccount(call.caller.accountId);
      const outcome = await apiTokens.revoke({ id, audit: auditOf(call, 'token.revoke') });
      if (outcome === 'not_found') throw notFound();
      tokens.forget(id);
      return undefined;
    },
  };
}

function labelTaken(label: string): ApiError {
  return new ApiError('label_exists', `a token that is in use is called ${JSON.stringify(label)}`, {
    hint: 'Choose another label, or revoke that one first.',
  });
}

function show(token: ApiToken) {
  return {
    id: token.id,
    label: token.label,
    scopes: [...token.scopes],
    created_at: formatTime(token.createdAtMs),
    last_used_at: formatTime(token.lastUsedAtMs),
    expires_at: formatTime(token.expiresAtMs),
  };
}
