/*
 * The parts of signing in and of being signed in, joined.
 */
import type { Clock, Random } from '@clawdfather/kit';
import { type Account, parseAccountId, type Store } from '@clawdfather/store';
import type { GatewayConfig } from '../gateway-config.ts';
import { createRateLimits, type RateLimits } from '../http/rate-limit.ts';
import type { AuthObserver } from './auth-observer.ts';
import {
  type Authenticate,
  createAuthenticate,
  createRecognise,
  type Recognise,
} from './authenticate.ts';
import { type AuthenticateAgent, createAuthenticateAgent } from './authenticate-agent.ts';
import { createLiveTokens, type LiveTokens } from './live-tokens.ts';
import { createLoginLinks, formatLoginUrl, type LoginLinks } from './login-links.ts';

export interface Auth {
  readonly tokens: LiveTokens;
  readonly limits: RateLimits;
  readonly authenticate: Authenticate;
  readonly authenticateAgent: AuthenticateAgent;
  readonly recognise: Recognise;
  readonly links: LoginLinks;
  readonly authObserver: AuthObserver;
  /* Where people reach us; known only after listening. */
  readonly baseUrl: () => string;
  createLoginLink(): Promise<string>;
}

export interface AuthDeps {
  readonly config: Pick<GatewayConfig, 'stateDir'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly owner: Account;
  readonly authObserver: AuthObserver;
  readonly baseUrl: () => string;
}

export function createAuth(deps: AuthDeps): Auth {
  const { config, store, authObserver, baseUrl } = deps;
  const ownerId = parseAccountId(deps.owner.id);
  const tokens = createLiveTokens(deps);
  const limits = createRateLimits(deps);
  const links = createLoginLinks({ ...deps, ownerId, stateDir: config.stateDir });
  return {
    tokens,
    limits,
    authenticate: createAuthenticate({ store, limits, tokens, ownerId }),
    authenticateAgent: createAuthenticateAgent({ store, limits, ownerId }),
    recognise: createRecognise({ tokens, ownerId }),
    links,
    authObserver,
    baseUrl,
    createLoginLink: async () => formatLoginUrl(baseUrl(), await links.create()),
  };
}
