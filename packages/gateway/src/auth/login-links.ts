/*
 * Login links: ten minutes, used once, for the local owner. Only their hash is kept.
 *
 * The secret is in the fragment of the address, which a browser never sends: it reaches no log, no proxy and no referrer,
 * and a messenger that looks at the address for a preview does not use it up.
 */
import type { Clock, Random } from '@clawdfather/kit';
import type { AccountId, Store } from '@clawdfather/store';
import { takeLocalLink } from './local-link.ts';
import { hashSecret, newLinkSecret } from './token-text.ts';

export interface LoginLinks {
  /* The secret, to be shown or used once. */
  create(): Promise<string>;
  /* The account that it signs in. */
  take(secret: string): Promise<AccountId | undefined>;
}

export interface LoginLinkDeps {
  readonly store: Store;
  readonly random: Random;
  readonly clock: Clock;
  readonly ownerId: AccountId;
  readonly stateDir: string;
}

export function createLoginLinks(deps: LoginLinkDeps): LoginLinks {
  const { store, random, ownerId } = deps;
  return {
    create: async () => {
      const secret = newLinkSecret(random);
      await store.system.signIns.saveLink({ linkHash: hashSecret(secret), accountId: ownerId });
      return secret;
    },
    take: async (secret) => {
      const linkHash = hashSecret(secret);
      const accountId = await store.system.signIns.takeLink(linkHash);
      if (accountId !== undefined) return accountId;
      return (await takeLocalLink(deps, linkHash)) ? ownerId : undefined;
    },
  };
}

export function formatLoginUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}/login#clf-link=${secret}`;
}
