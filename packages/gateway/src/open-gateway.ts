/*
 * Joins everything: database, runs, API. The one place that knows all parts.
 *
 * Crash-only: closing lets go in the opposite order of opening and touches no run and no session. Whoever comes next adopts.
 */
import type { AddressInfo } from 'node:net';
import type { Clock, Log, Random } from '@clawdfather/kit';
import { api } from '@clawdfather/protocol/api';
import { openStore, parseAccountId, type Store } from '@clawdfather/store';
import type { FastifyInstance } from 'fastify';
import { createAuthenticate } from './auth/authenticate.ts';
import { createLiveTokens, type LiveTokens } from './auth/live-tokens.ts';
import { checkListen } from './check-config.ts';
import { GatewayError } from './errors.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { createAllowedNames } from './http/allowed-names.ts';
import { createServer } from './http/create-server.ts';
import { createRateLimits } from './http/rate-limit.ts';
import { registerEndpoints, type RegisterDeps } from './http/register-endpoints.ts';
import { registerOpenApi } from './openapi/register-openapi.ts';
import { createAuditHandlers } from './routes/audit.ts';
import { createAuthHandlers } from './routes/auth.ts';
import { createSettingsHandlers } from './routes/settings.ts';
import { openRuns, type Runs } from './runs/open-runs.ts';

export interface GatewayDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface Gateway extends AsyncDisposable {
  /* Where it listens, such as `http://127.0.0.1:8420`. */
  readonly url: string;
  readonly store: Store;
  close(): Promise<void>;
}

/* What routes are made from; each takes what it needs of it. */
export interface GatewayParts extends RegisterDeps, GatewayDeps {
  readonly config: GatewayConfig;
  readonly tokens: LiveTokens;
  readonly runs: Runs;
}

export async function openGateway(config: GatewayConfig, deps: GatewayDeps): Promise<Gateway> {
  checkListen(config);
  const { clock, random, log } = deps;
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await openStore(config.database, { clock, random }));
  const owner = await store.system.accounts.ensureOwner({
    displayName: 'Owner',
    audit: { action: 'account.create', actor: 'gateway' },
  });
  const runs = opening.use(await openRuns(config, deps));
  const names = createAllowedNames({
    publicUrl: config.publicUrl,
    port: () => portOf(server),
    isTls: config.tls !== undefined,
  });
  const server = createServer({
    clock,
    random,
    log,
    names,
    tls: config.tls,
    trustedProxies: config.trustedProxies,
    onDone: () => {},
  });
  opening.defer(() => server.close());
  const tokens = createLiveTokens({ store, clock });
  const limits = createRateLimits({ store, clock });
  const ownerId = parseAccountId(owner.id);
  const authenticate = createAuthenticate({ store, limits, tokens, ownerId });
  registerApi(server, { ...deps, config, authenticate, store, limits, tokens, runs });
  await listen(server, config);
  const opened = opening.move();
  const close = (): Promise<void> => opened.disposeAsync();
  return { url: urlOf(server, config), store, close, [Symbol.asyncDispose]: close };
}

function registerApi(server: FastifyInstance, parts: GatewayParts): void {
  registerEndpoints(server, parts, { group: api.auth, handlers: createAuthHandlers(parts) });
  registerEndpoints(server, parts, {
    group: api.settings,
    handlers: createSettingsHandlers(parts),
  });
  registerEndpoints(server, parts, { group: api.audit, handlers: createAuditHandlers(parts) });
  registerOpenApi(server, parts.config.version);
}

async function listen(server: FastifyInstance, { listen: where }: GatewayConfig): Promise<void> {
  try {
    await server.listen({ host: where.host, port: where.port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const isTaken = code === 'EADDRINUSE';
    throw new GatewayError(
      'listen-failed',
      `cannot listen on ${where.host}:${where.port}${isTaken ? ': something else does already' : ''}`,
      {
        cause: error,
        detail: { ...where, code },
        ...(isTaken ? { hint: 'is a gateway running already? `clf status` tells' } : {}),
      },
    );
  }
}

function portOf(server: FastifyInstance): number {
  // Listening on TCP, the address is never a path.
  return (server.server.address() as AddressInfo | null)?.port ?? 0;
}

function urlOf(server: FastifyInstance, { listen: { host }, tls }: GatewayConfig): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${portOf(server)}`;
}
