/*
 * Joins everything: database, runs, API. The one place that knows all parts.
 *
 * Crash-only: closing releases everything in the opposite order of opening. It ends no run and no session; the next gateway
 * adopts them.
 */
import { join } from 'node:path';
import type { Random } from '@clawdfather/kit';
import {
  createKeyCustody,
  type KeyCustody,
  type Kms,
  openFileKms,
  openMasterKeys,
} from '@clawdfather/ssh';
import { type AccountId, openStore, parseAccountId, type Store } from '@clawdfather/store';
import { type ManagedRun, openStateDir } from '@clawdfather/supervisor';
import { accountLabel } from '@clawdfather/supervisor/origins';
import { isMemberBeside, usualAccountBounds } from './accounts/account-bounds.ts';
import { createAccountPlaces } from './accounts/account-places.ts';
import { createSessionLimits, type SessionLimits } from './accounts/session-bounds.ts';
import { createFairTurns, type FairTurns } from './accounts/fair-turns.ts';
import { serveApp } from './app/serve-app.ts';
import { type Auth, type AuthDeps, createAuth } from './auth/create-auth.ts';
import { checkListen } from './check-config.ts';
import type { GatewayConfig } from './gateway-config.ts';
import type { GatewayDeps, GatewayParts } from './gateway-parts.ts';
import { createAllowedNames } from './http/allowed-names.ts';
import { baseUrlOf } from './http/base-url.ts';
import { createServer } from './http/create-server.ts';
import { createGatewayHeader } from './http/gateway-header.ts';
import { createStartGate } from './http/start-gate.ts';
import { createOpenStreams, type OpenStreams } from './http/open-streams.ts';
import { noteRoutes } from './http/note-routes.ts';
import { listenOn, portOf } from './http/listen.ts';
import { createLiveHub } from './live/live-hub.ts';
import { otherTurns } from './live/other-turns.ts';
import { createNotices } from './notices/open-notices.ts';
import { createPushParts } from './notices/push-parts.ts';
import { openObserve } from './observe/open-observe.ts';
import { openWatch } from './observe/open-watch.ts';
import { traceAuthenticate } from './observe/traced-authenticate.ts';
import { openApprovalAudit } from './runs/approval-audit.ts';
import { createRunsFor } from './runs/caller-runs.ts';
import { denyForGoneTokens, type GoneTokensDeps } from './runs/gone-tokens.ts';
import { openRuns } from './runs/open-runs.ts';
import { createBoundedShells } from './directories/bounded-shell.ts';
import { createLateHosts, joinHosts } from './hosts/join-hosts.ts';
import { createLateThreads, openThreads } from './agents/open-threads.ts';
import { createTurnOfRun } from './agents/turn-of-run.ts';
import type { Instance } from './sessions/instance.ts';
import { openSessions } from './sessions/open-sessions.ts';
import { registerApi } from './register-api.ts';
import { joinSockets } from './socket/join-sockets.ts';
import type { Sockets } from './socket/open-sockets.ts';
import { createAttachments } from './uploads/open-attachments.ts';

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

export async function openGateway(config: GatewayConfig, given: GatewayDeps): Promise<Gateway> {
  checkListen(config);
  await using opening = new AsyncDisposableStack();
  const base = await openBase(opening, config, given);
  const { deps, watch, observe, store, owner, runs, approvalAudit, opened, hosts, turns } = base;
  const { instance, sessions, news: sessionNews } = opened;
  const { log } = deps;
  const known = knownAs(config, instance, () => portOf(server));
  const server = serverOf(config, { ...base, known });
  base.knowPort(() => portOf(server));
  const routes = noteRoutes(server);
  opening.defer(() => server.close());
  const baseUrl = (): string => baseUrlOf(config, portOf(server));
  const { auth: authObserver } = watch.metrics;
  const auth = openAuth(opening, runs, { ...deps, config, store, owner, authObserver, baseUrl });
  const push = createPushParts({ ...deps, kms: base.kms, config, store, baseUrl });
  const parts: GatewayParts = {
    ...deps,
    ...auth,
    authenticate: traceAuthenticate(auth.authenticate, watch.tracing),
    // A look that is remembered would have no span.
    recognise: watch.tracing.requests === undefined ? auth.recognise : undefined,
    observe,
    config,
    store,
    runs,
    approvalAudit,
    runsFor: createRunsFor({ ...deps, turns, runs, store, sessions, hosts }),
    turns,
    streams: createStreams(config, { ...deps, tokens: auth.tokens }),
    channels: base.notices.channels,
    push,
    hub: base.hub,
    custody: base.custody,
    hosts,
    shells: createBoundedShells(),
    agentThreads: base.agentThreads,
    attachments: base.attachments,
    turnOfRun: createTurnOfRun({ ...runs, ...base.agentThreads }),
    instance,
    sessions,
    sessionNews,
    sessionLimits: base.sessionLimits,
  };
  registerApi(server, parts);
  await serveApp(server, { ...deps, config });
  const sockets = opening.use(joinSockets(server.server, parts, known));
  observe.watchWebsockets(() => sockets.signedIn());
  const url = await listenOn(server, config);
  await opened.start({ version: config.version, address: url });
  known.startGate.open();
  opening.use(base.notices.open({ store, runs, sender: instance.owner(), push: push.channel }));
  await base.agentThreads.takeUp();
  log.event('gateway.started', { version: config.version, address: url, database: store.dialect });
  opening.defer(() => log.event('gateway.stopping'));
  return {
    url,
    store,
    routes,
    sockets,
    createLoginLink: () => auth.createLoginLink(),
    superseded: instance.superseded,
    closeSessions: (actor) => sessions.closeAll({ reason: 'server_closed', by: { actor } }),
    ...closingOf(opening.move()),
  };
}

function serverOf(
  { tls, trustedProxies }: GatewayConfig,
  {
    deps,
    watch,
    observe,
    known,
  }: Pick<Awaited<ReturnType<typeof openBase>>, 'deps' | 'watch' | 'observe'> & {
    readonly known: ReturnType<typeof knownAs>;
  },
) {
  const { enterTrace } = watch;
  const { onDone } = observe;
  return createServer({ ...deps, ...known, tls, trustedProxies, enterTrace, onDone });
}

function closingOf(lifetime: AsyncDisposableStack): Pick<Gateway, 'close'> & AsyncDisposable {
  const close = (): Promise<void> => lifetime.disposeAsync();
  return { close, [Symbol.asyncDispose]: close };
}

/* The names that it answers to, and the one that it gives itself. */
function knownAs({ publicUrl, tls }: GatewayConfig, instance: Instance, port: () => number) {
  const names = createAllowedNames({ publicUrl, port, isTls: tls !== undefined });
  const startGate = createStartGate();
  return { names, gatewayHeader: createGatewayHeader(instance), startGate };
}

function openAuth(
  opening: AsyncDisposableStack,
  { approvals }: Pick<GoneTokensDeps, 'approvals'>,
  deps: AuthDeps & Pick<GoneTokensDeps, 'log'>,
): Auth {
  const auth = createAuth(deps);
  opening.use(denyForGoneTokens({ ...deps, approvals, tokens: auth.tokens }));
  return auth;
}

function createStreams(
  { bounds = usualAccountBounds }: GatewayConfig,
  deps: Pick<GatewayParts, 'clock' | 'tokens'>,
): OpenStreams {
  const places = createAccountPlaces({ what: 'streams', placesMax: bounds.streamsMax });
  return createOpenStreams({ ...deps, places });
}

/* The live output of a member, whoever reads it, is sent when others have had their turn. */
function createPace(turns: FairTurns, ownerId: string): (run: ManagedRun) => Promise<void> {
  const isMember = isMemberBeside(ownerId);
  return (run) => {
    const accountId = run.snapshot().labels[accountLabel] ?? '';
    return isMember(accountId) ? turns.goOn({ accountId, kind: 'output' }) : otherTurns();
  };
}

/* The parts below the API; each needs the ones before it. */
async function openBase(opening: AsyncDisposableStack, config: GatewayConfig, given: GatewayDeps) {
  const watch = opening.use(await openWatch(config, given));
  const { log, metrics } = watch;
  const deps: GatewayDeps = { ...given, log };
  const { clock, random } = deps;
  const { onQuery } = watch.tracing;
  // First: the database and the keys are usually in it.
  await openStateDir(config.stateDir);
  const store = opening.use(
    await openStore(config.database, { clock, random, ...(onQuery && { onQuery }) }),
  );
  const owner = await ensureOwner(store);
  const ownerId = parseAccountId(owner.id);
  // Before anything that acts: a start without the keys to what is stored is refused.
  const secrets = await openCustody(config, { store, random });
  const sessionLimits = sessionLimitsOf(config, ownerId);
  const late = createLateHosts();
  const { remote: remoteHosts, explain: explainExit } = late;
  const notices = createNotices({ ...watch, ...deps, config, ownerId });
  const { observer } = notices;
  const runs = opening.use(
    await openRuns(config, { ...deps, observer, ownerId, remoteHosts, explainExit }),
  );
  watch.knowRuns(runs.supervisor);
  const approvalAudit = opening.use(openApprovalAudit({ ...deps, ...runs, store, ownerId }));
  const turns = createFairTurns(clock);
  const hub = opening.adopt(createLiveHub(clock, createPace(turns, ownerId)), (it) => it.close());
  const observe = opening.use(await openObserve({ ...deps, config, store, watch }));
  const lateThreads = createLateThreads();
  const attachments = createAttachments({ ...deps, stateDir: config.stateDir, runs, store });
  const opened = opening.use(
    openSessions({
      ...deps,
      store,
      runs,
      onNews: metrics.sessions,
      cleanupObserver: metrics.cleanup,
      hasMembers: config.accounts?.some(({ runAs }) => runAs !== undefined) ?? false,
      keeper: late.keeper,
      checkHosts: late.check,
      sweepFiles: attachments.sweep,
      agents: lateThreads,
    }),
  );
  const ground = { ...deps, ...secrets, config, store, runs, ownerId };
  const hosts = opening.use(joinHosts({ ...ground, opened, observe, late, sessionLimits }));
  late.bind(hosts);
  const { instance } = opened;
  const agentThreads = opening.use(
    await openThreads({ ...deps, config, store, runs, instance, remoteHosts, hosts, observe }),
  );
  lateThreads.bind(agentThreads);
  return {
    deps,
    watch,
    observe,
    store,
    owner,
    runs,
    approvalAudit,
    turns,
    hub,
    ...secrets,
    opened,
    hosts,
    sessionLimits,
    agentThreads,
    attachments,
    notices,
    knowPort: late.knowPort,
  };
}

function ensureOwner({ system }: Store) {
  const audit = { action: 'account.create', actor: 'gateway' };
  return system.accounts.ensureOwner({ displayName: 'Owner', audit });
}

function sessionLimitsOf(
  { bounds = usualAccountBounds, accounts = [] }: GatewayConfig,
  ownerId: AccountId,
): SessionLimits {
  return createSessionLimits({ bounds: bounds.sessions, accounts, ownerId });
}

async function openCustody(
  { stateDir, masterKeysDir = join(stateDir, 'master-keys'), acceptsLostKeys }: GatewayConfig,
  { store, random }: { readonly store: Store; readonly random: Random },
): Promise<{ readonly custody: KeyCustody; readonly kms: Kms }> {
  const { masterKeys } = store.system;
  const actor = 'gateway';
  const note = (ids: readonly string[]): Promise<void> =>
    masterKeys.note({ ids, audit: { action: 'master-key.note', actor } });
  if (acceptsLostKeys) {
    const ids = (await openMasterKeys(masterKeysDir, random)).map(({ id }) => id);
    await masterKeys.forgetOthers({ ids, audit: { action: 'master-key.forget', actor } });
  }
  const knownIds = await masterKeys.list();
  const kms = await openFileKms({ directory: masterKeysDir, random, knownIds, note });
  const recordsOf = (id: AccountId) => store.forAccount(id).keypairs;
  return { kms, custody: createKeyCustody({ recordsOf, random, kms }) };
}
