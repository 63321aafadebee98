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
import type { Instance } from '../sessions/instance.ts';
import { type AgentPlaces, createAgentPlaces } from './agent-places.ts';
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
import { createRemoteHosts } from './remote-hosts.ts';
import { createSessionStarts } from './session-starts.ts';
import { openSshBaseDir } from './ssh-base-dir.ts';
import { createSshChecks } from './ssh-checks.ts';
import { type HostStartDeps, type PendingOnHost, startHostSession } from './start-host-session.ts';

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
  /* Where agents of threads work on hosts. */
  readonly agents: AgentPlaces;
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
  const starts = createSessionStarts(deps, { hosts, starting });
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
    remote: createRemoteHosts({ store, commands, sessionOn: starts.sessionOn }),
    agents: createAgentPlaces({ ...deps, hosts, commands, leases, losses, starts }),
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
