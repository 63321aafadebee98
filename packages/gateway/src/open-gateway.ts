/*
 * Joins everything: database, runs, API. The one place that knows all parts.
 *
 * Crash-only: closing lets go in the opposite order of opening and touches no run and no session. Whoever comes next adopts.
 */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Clock, Log, Random } from '@clawdfather/kit';
import { api } from '@clawdfather/protocol/api';
import { openStore, type Store } from '@clawdfather/store';
import type { FastifyInstance } from 'fastify';
import { type Auth, createAuth } from './auth/create-auth.ts';
import { registerLoginPage } from './auth/login-page.ts';
import { checkListen } from './check-config.ts';
import { GatewayError } from './errors.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { createAllowedNames } from './http/allowed-names.ts';
import { baseUrlOf } from './http/base-url.ts';
import { createServer } from './http/create-server.ts';
import { noteRoutes } from './http/note-routes.ts';
import { registerEndpoints, type RegisterDeps } from './http/register-endpoints.ts';
import { registerOpenApi } from './openapi/register-openapi.ts';
import { createKeyCustody, type KeyCustody } from './keys/key-custody.ts';
import { createMasterKms } from './keys/kms.ts';
import { openMasterKeys } from './keys/master-keys.ts';
import { registerMcp } from './mcp/register-mcp.ts';
import { createApprovalsHandlers } from './routes/approvals.ts';
import { createSystemHandlers } from './health/system-handlers.ts';
import { type Observe, openObserve } from './observe/open-observe.ts';
import { openWatch } from './observe/open-watch.ts';
import { traceAuthenticate } from './observe/traced-authenticate.ts';
import { createAuditHandlers } from './routes/audit.ts';
import { createAuthHandlers } from './routes/auth.ts';
import { createConnectionsHandlers } from './routes/connections.ts';
import { createKeysHandlers } from './routes/keys.ts';
import { createRunsHandlers } from './routes/runs.ts';
import { createSessionsHandlers } from './routes/sessions.ts';
import { createSettingsHandlers } from './routes/settings.ts';
import { createTokenHandlers } from './routes/tokens.ts';
import { openRuns, type Runs } from './runs/open-runs.ts';
import type { Instance } from './sessions/instance.ts';
import { openSessions } from './sessions/open-sessions.ts';
import type { SessionObserver } from './sessions/session-observer.ts';
import type { Sessions } from './sessions/sessions.ts';
import { joinSockets } from './socket/join-sockets.ts';
import type { Sockets } from './socket/open-sockets.ts';

export interface GatewayDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface Gateway extends AsyncDisposable {
  /* Where it listens, such as `http://127.0.0.1:8420`. */
  readonly url: string;
  readonly store: Store;
  /* Every route there is, as `GET /path`. */
  readonly routes: readonly string[];
  /* How many are connected. */
  readonly sockets: Pick<Sockets, 'counts'>;
  /* An address that signs the owner in, once, within ten minutes. The secret is in its fragment. */
  createLoginLink(): Promise<string>;
  /* Aborts when a newer gateway runs on our state directory: time to stop. */
  readonly superseded: AbortSignal;
  /* Ends every session of this gateway, for an operator who asks; a plain `close` ends none. */
  closeSessions(actor: string): Promise<number>;
  close(): Promise<void>;
}

/* What routes are made from; each takes what it needs of it. */
export interface GatewayParts extends RegisterDeps, GatewayDeps, Auth {
  readonly config: GatewayConfig;
  readonly observe: Observe;
  readonly runs: Runs;
  readonly custody: KeyCustody;
  readonly instance: Instance;
  readonly sessions: Sessions;
  readonly sessionObserver: SessionObserver;
}

export async function openGateway(config: GatewayConfig, given: GatewayDeps): Promise<Gateway> {
  checkListen(config);
  await using opening = new AsyncDisposableStack();
  const base = await openBase(opening, config, given);
  const { deps, watch, observe, store, owner, runs, custody, opened } = base;
  const { clock, random, log } = deps;
  const { instance, sessions, sessionObserver } = opened;
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
    enterTrace: watch.enterTrace,
    onDone: observe.onDone,
  });
  const routes = noteRoutes(server);
  opening.defer(() => server.close());
  const auth = createAuth({
    ...deps,
    config,
    store,
    owner,
    authObserver: watch.metrics.auth,
    baseUrl: () => baseUrlOf(config, portOf(server)),
  });
  const parts: GatewayParts = {
    ...deps,
    ...auth,
    authenticate: traceAuthenticate(auth.authenticate, watch.tracing),
    observe,
    config,
    store,
    runs,
    custody,
    instance,
    sessions,
    sessionObserver,
  };
  registerApi(server, parts);
  const sockets = opening.use(joinSockets(server.server, parts, names));
  observe.watchWebsockets(() => sockets.counts().session + sockets.counts().run);
  await listen(server, config);
  const url = urlOf(server, config);
  await opened.start({ version: config.version, address: url });
  log.event('gateway.started', { version: config.version, address: url, database: store.dialect });
  opening.defer(() => log.event('gateway.stopping'));
  const lifetime = opening.move();
  const close = (): Promise<void> => lifetime.disposeAsync();
  return {
    url,
    store,
    routes,
    sockets,
    createLoginLink: () => auth.createLoginLink(),
    superseded: instance.superseded,
    closeSessions: (actor) =>
      sessions.closeAll({ reason: 'server_closed', audit: { action: 'session.close', actor } }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/* What the API stands on, in the order in which each needs the one before. */
async function openBase(opening: AsyncDisposableStack, config: GatewayConfig, given: GatewayDeps) {
  const watch = opening.use(await openWatch(config, given));
  const { log, metrics } = watch;
  const deps: GatewayDeps = { ...given, log };
  const { clock, random } = deps;
  const { onQuery } = watch.tracing;
  const store = opening.use(
    await openStore(config.database, { clock, random, ...(onQuery && { onQuery }) }),
  );
  const owner = await store.system.accounts.ensureOwner({
    displayName: 'Owner',
    audit: { action: 'account.create', actor: 'gateway' },
  });
  const runs = opening.use(await openRuns(config, { ...deps, observer: watch.observer }));
  watch.knowRuns(runs.supervisor);
  const observe = opening.use(await openObserve({ ...deps, config, store, watch }));
  const custody = await openCustody(config, { store, random });
  const opened = opening.use(
    openSessions({
      store,
      clock,
      log,
      runs,
      sessionObserver: metrics.sessions,
      cleanupObserver: metrics.cleanup,
    }),
  );
  return { deps, watch, observe, store, owner, runs, custody, opened };
}

async function openCustody(
  { stateDir, masterKeysDir = join(stateDir, 'master-keys') }: GatewayConfig,
  deps: { readonly store: Store; readonly random: Random },
): Promise<KeyCustody> {
  const masters = await openMasterKeys(masterKeysDir, deps.random);
  return createKeyCustody({ ...deps, kms: createMasterKms(masters, deps.random) });
}

function registerApi(server: FastifyInstance, parts: GatewayParts): void {
  registerEndpoints(server, parts, { group: api.auth, handlers: createAuthHandlers(parts) });
  registerEndpoints(server, parts, { group: api.tokens, handlers: createTokenHandlers(parts) });
  registerEndpoints(server, parts, { group: api.keys, handlers: createKeysHandlers(parts) });
  registerEndpoints(server, parts, {
    group: api.connections,
    handlers: createConnectionsHandlers(parts),
  });
  registerEndpoints(server, parts, {
    group: api.sessions,
    handlers: createSessionsHandlers(parts),
  });
  registerEndpoints(server, parts, { group: api.runs, handlers: createRunsHandlers(parts) });
  registerEndpoints(server, parts, {
    group: api.approvals,
    handlers: createApprovalsHandlers(parts),
  });
  registerEndpoints(server, parts, {
    group: api.settings,
    handlers: createSettingsHandlers(parts),
  });
  registerEndpoints(server, parts, { group: api.audit, handlers: createAuditHandlers(parts) });
  registerEndpoints(server, parts, { group: api.system, handlers: createSystemHandlers(parts) });
  registerMcp(server, parts);
  registerOpenApi(server, parts.config.version);
  registerLoginPage(server);
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
