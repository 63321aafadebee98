/*
 * Who is in.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import { notFound } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';

export function createAuthHandlers({ store }: { readonly store: Store }): Handlers<Api['auth']> {
  return {
    me: async ({ caller }) => {
      const account = await store.forAccount(caller.accountId).profile.get();
      if (account === undefined) throw notFound();
      return {
        account: {
          id: account.id,
          kind: account.kind,
          display_name: account.displayName,
          email: account.email ?? null,
          avatar_url: account.avatarUrl ?? null,
        },
        via: {
          kind: caller.kind,
          id: caller.id,
          scopes: [...caller.scopes],
          expires_at: new Date(caller.expiresAtMs).toISOString(),
        },
      };
    },
  };
}
