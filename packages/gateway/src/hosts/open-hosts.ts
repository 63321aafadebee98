/*
 * Joins what SSH hosts are made of: masters and their sessions, commands on them, probe and test, and the hosts as the tools see them.
 *
 * Opened after sessions and before the server; closing lets go of all connections and ends none. The next gateway takes them over.
 */
import { lookup } from 'node:dns/promises';
import { rmdir } from 'node:fs/promises';
import type { Clock, Log, Random } from '@clawdfather/kit';
import {
  changeSession,
  type DueSession,
  type SessionDeps,
  type SessionRecord,
} from '@clawdfather/sessions';
import type { KeyCustody, Listener, Lookup, MasterCause } from '@clawdfather/ssh';
import { causeOfUnseenEnd, closeAgentDoor, masterCauses } from '@clawdfather/ssh';
import type { AccountId, Connection, Store } from '@clawdfather/store';
import {
  type ExplainExit,
  liveRunStates,
  type RemoteHosts,
  shimBinaryPath,
  type Supervisor,
} from '@clawdfather/supervisor';
import { hostLabel } from '@clawdfather/supervisor/origins';
import { tooManySessions } from '../accounts/session-bounds.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Instance } from '../sessions/instance.ts';
import { noAgent } from '../sessions/show-session.ts';
import { type AgentBinding, bindingOf } from './agent-binding.ts';
import type { HostChecks } from './host-checks.ts';
import { createLosses, type Losses, sessionActor } from './explain-loss.ts';
import { createHostCommands, type HostCommands } from './host-commands.ts';
import { createHostObserver, type HostObserverDeps } from './host-observer.ts';
import { endStrays } from './end-strays.ts';
import {
  createHostSessions,
  type HostSessionName,
  type HostSessions,
  type LiveHost,
} from './host-sessions.ts';
import { forgetRemoved } from './forget-removed.ts';
import { createLeaseFiles, type LeaseFiles } from './lease-files.ts';
import { createPlaceQueue, type Places } from './places.ts';
import { createRemoteHosts, type RemoteHostsDeps, type SessionWish } from './remote-hosts.ts';
import { openSshBaseDir } from './ssh-base-dir.ts';
import { createSshChecks } from './ssh-checks.ts';
import {
  type HostStartDeps,
  isFailedStart,
  type PendingOnHost,
  startHostSession,
} from './start-host-session.ts';

export interface HostsDeps {
  readonly stateDir: string;
  readonly runtimeDir: string | undefined;
  readonly home: string;
  readonly sshPath?: string | undefined;
  readonly store: Store;
  readonly custody: KeyCustody;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly supervisor: Supervisor;
  readonly ownerId: AccountId;
  readonly instance: Instance;
  readonly sessions: Pick<SessionDeps, 'recordsOf' | 'news' | 'runs'>;
  readonly ownListeners: () => readonly Listener[];
  /* Replaced in tests. */
  readonly checks?: HostChecks | undefined;
  /* Default the system's resolver. */
  readonly lookup?: Lookup | undefined;
  readonly observe: Omit<HostObserverDeps, 'log'>;
  /* How many sessions an account may have open, for one who asks. */
  readonly openMaxOf: (accountId: AccountId, requester: string) => number;
}

export interface HostSessionStart extends Partial<Pick<PendingOnHost, 'startAgent'>> {
  readonly actor: string;
}

export interface Hosts extends AsyncDisposable {
  readonly checks: HostChecks;
  readonly remote: RemoteHosts;
  /* A pending session becomes active, or fails: with its agent, where it has one. */
  activate(
    accountId: AccountId,
    session: SessionRecord,
    start: HostSessionStart,
  ): Promise<SessionRecord>;
  adopt(session: DueSession): Promise<'adopted' | 'gone'>;
  /* For programs of this machine that work on the host of a session; undefined: it has none, or is not live here. */
  binding(accountId: AccountId, sessionId: string): Promise<AgentBinding | undefined>;
  /* What its policy does not let in any more is taken out of shields. */
  policyChanged(accountId: AccountId, connection: Connection): Promise<void>;
  /* Of the end of a run, before it is settled: why it was lost, if it is a command on a host and was. */
  readonly explain: ExplainExit;
  /* Drops what is known of hosts that no connection leads to any more. */
  connectionRemoved(): Promise<void>;
  /* HS3, and sessions that another gateway has ended. */
  check(): Promise<void>;
  count(): number;
}

const usualSsh = '/usr/bin/ssh';
const actor = sessionActor;

interface HostParts {
  readonly baseDir: string;
  readonly hosts: HostSessions;
  readonly commands: HostCommands;
  readonly leases: LeaseFiles;
  readonly losses: Losses;
}

/* Sessions end commands, and commands belong to sessions: each is given the other. */
function createHostParts(deps: HostsDeps): HostParts {
  const { stateDir, clock, random, log, supervisor, sessions } = deps;
  const shimPath = shimBinaryPath();
  const baseDir = openSshBaseDir(stateDir, deps.runtimeDir);
  const placesOf = createPlacesOf();
  const leases = createLeaseFiles(stateDir);
  const losses = createLosses({ clock, supervisor, leases });
  const observer = createHostObserver({ ...deps.observe, log });
  const common = { supervisor, clock, random, log, shimPath };
  const sshPath = deps.sshPath ?? usualSsh;
  const hosts: HostSessions = createHostSessions({
    masters: { ...common, lookup: deps.lookup ?? lookupAll, sshPath, home: deps.home, baseDir },
    clock,
    log,
    observer,
    endCommands: async (host) => {
      placesOf(host).close('closed');
      await sessions.runs.end(host.session, actor);
      await commands.endSession(host);
    },
    failCommands: (host, cause) => placesOf(host).close(cause),
    lost: async (host, end) => {
      await losses.explainEnded(host, end.cause);
      await failSession(sessions, host.session, end.cause);
    },
  });
  const commands: HostCommands = createHostCommands({
    ...common,
    leases,
    losses,
    placesOf,
    isOpen: async ({ accountId, id }) => {
      const record = await sessions.recordsOf(accountId).get(id);
      return record !== undefined && record.endedAtMs === undefined;
    },
    begun: (host, command) => observer.commandStarted(host, command),
    ended: (host, command) => observer.commandEnded(host, command),
  });
  return { baseDir, hosts, commands, leases, losses };
}

/* One queue for each master. */
function createPlacesOf(): (host: LiveHost) => Places {
  const places = new WeakMap<LiveHost, Places>();
  return (host) => {
    const known = places.get(host) ?? createPlaceQueue();
    places.set(host, known);
    return known;
  };
}

/* The epoch is read again: the session may have been taken by a newer gateway, which then decides. */
async function failSession(
  sessions: HostsDeps['sessions'],
  session: HostSessionName,
  cause: MasterCause,
): Promise<void> {
  const record = await sessions.recordsOf(session.accountId).get(session.id);
  if (record === undefined || record.endedAtMs !== undefined) return;
  const { sentence } = masterCauses[cause];
  const event = { type: 'failed', epoch: record.epoch, code: cause, message: sentence } as const;
  await changeSession(sessions, session, { event, by: { actor } });
}

export function openHosts(deps: HostsDeps): Hosts {
  const { supervisor, store, sessions } = deps;
  const { baseDir, hosts, commands, leases, losses } = createHostParts(deps);
  const forget = (): Promise<void> => forgetRemoved({ ...deps, leases, hosts });
  const starting: HostStartDeps = { ...deps, hosts, commands };
  const implicit = createImplicitSessions(deps, { hosts, starting });
  const stopListening = sessions.news.subscribe((news) => {
    if (news.type !== 'ended') return;
    const why = news.session.reason === 'key_revoked' ? 'key-revoked' : 'closed';
    void hosts.end(news.session.id, why);
  });

  return {
    checks:
      deps.checks ??
      createSshChecks({
        ...deps,
        lookup: deps.lookup ?? lookupAll,
        sessions: hosts,
        shimPath: shimBinaryPath(),
      }),
    remote: createRemoteHosts({ store, commands, sessionOn: implicit }),
    activate: async (accountId, session, { actor: by, startAgent }) => {
      const { connectionId = '' } = session;
      const pending = { accountId, session, connectionId, by: { actor: by }, startAgent };
      return (await startHostSession(starting, pending)).session;
    },
    adopt: async (session) => {
      const { accountId, id, connectionId } = session;
      if (connectionId === undefined) return 'adopted';
      const name = { accountId, id };
      const outcome = await hosts.adopt(name, connectionId);
      const host = hosts.get(id);
      if (outcome === 'gone' || host === undefined) {
        const cause = causeOfUnseenEnd(hosts.lastEndOf(id));
        await losses.explainEnded({ session: name, connectionId }, cause);
        await failSession(sessions, name, cause);
        return 'gone';
      }
      await takeUpCommands(supervisor, commands, host);
      void commands.sweep(host);
      return 'adopted';
    },
    binding: async (accountId, sessionId) => {
      const host = hosts.get(sessionId);
      if (host === undefined || host.session.accountId !== accountId) return undefined;
      return bindingTo(deps, host);
    },
    policyChanged: async (accountId, { id, policy }) => {
      if (policy === 'full') return;
      const live = hosts.onConnection(accountId, id);
      await Promise.all(live.map(({ master }) => closeAgentDoor(master.place)));
    },
    explain: (exit) => commands.explain(exit),
    connectionRemoved: forget,
    check: async () => {
      await endStrays({ ...deps, hosts, baseDir });
      await forget();
    },
    count: () => hosts.count(),
    [Symbol.asyncDispose]: async () => {
      stopListening();
      commands[Symbol.dispose]();
      await hosts[Symbol.asyncDispose]();
      // Empty, unless connections go on.
      await rmdir(baseDir).catch(() => undefined);
    },
  };
}

async function bindingTo(
  { store, sshPath = usualSsh }: HostsDeps,
  host: LiveHost,
): Promise<AgentBinding | undefined> {
  const { session, connectionId } = host;
  const { connections } = store.forAccount(session.accountId);
  const connection = await connections.get(connectionId);
  const isFullyAllowed = async (): Promise<boolean> =>
    (await connections.get(connectionId))?.policy === 'full';
  const deps = { sshPath, shimPath: shimBinaryPath(), isFullyAllowed };
  return connection && bindingOf(host, connection, deps);
}

const lookupAll = (host: string) => lookup(host, { all: true, order: 'verbatim' });

/* Commands of an earlier gateway that still run on this host. */
async function takeUpCommands(
  supervisor: Supervisor,
  commands: HostCommands,
  host: LiveHost,
): Promise<void> {
  const { session, connectionId } = host;
  const records = supervisor.list({
    sessionId: session.id,
    labels: { [hostLabel]: connectionId },
    states: liveRunStates,
  });
  for (const { runId } of records) {
    const run = await supervisor.attach(runId).catch(() => undefined);
    if (run !== undefined) commands.takeUp(host, run);
  }
}

/* One session for all commands on a connection that name none; those who ask at the same time wait for the same start. */
function createImplicitSessions(
  { store, instance, openMaxOf, sessions: { news } }: HostsDeps,
  { hosts, starting }: { readonly hosts: HostSessions; readonly starting: HostStartDeps },
): RemoteHostsDeps['sessionOn'] {
  const underWay = new Map<string, Promise<LiveHost>>();
  const { announce } = news;
  const start = async ({ accountId, connection, requester }: SessionWish): Promise<LiveHost> => {
    const connectionId = connection.id;
    const openMax = openMaxOf(accountId, requester);
    const created = await store.forAccount(accountId).sessions.create({
      connectionId,
      agent: noAgent,
      owner: instance.owner(),
      openMax,
      audit: { action: 'session.start', actor },
    });
    if (created.outcome === 'connection_not_found') throw notFound();
    if (created.outcome === 'session_limit_reached') throw tooManySessions(openMax);
    if (created.outcome !== 'created') throw new ApiError(created.outcome);
    const { session } = created;
    const pending = { accountId, session, connectionId, by: { actor } };
    try {
      const { host } = await startHostSession(starting, pending);
      const name = { accountId, id: session.id };
      announce({ type: 'started', session: name, agent: session.agent, traceId: undefined });
      return host;
    } catch (error) {
      if (isFailedStart(error)) announce({ type: 'start-failed' });
      throw error;
    }
  };
  return async (wish) => {
    const { accountId, connection, sessionId } = wish;
    if (sessionId !== undefined) return namedSession(hosts, wish, sessionId);
    const [live] = hosts.onConnection(accountId, connection.id);
    if (live !== undefined && live.master.state().status === 'live') return live;
    const key = `${accountId}/${connection.id}`;
    const begun = underWay.get(key) ?? start(wish).finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  };
}

/* The caller has named it: no other one takes its place. */
function namedSession(
  hosts: HostSessions,
  { accountId, connection }: SessionWish,
  sessionId: string,
): LiveHost {
  const host = hosts.get(sessionId);
  const isOn =
    host?.session.accountId === accountId &&
    host.connectionId === connection.id &&
    host.master.state().status === 'live';
  if (host !== undefined && isOn) return host;
  throw new ApiError('expired', `the session ${sessionId} is not open on ${connection.label}`, {
    hint: 'Start another one there, or leave the session out: the command then opens one by itself.',
  });
}
