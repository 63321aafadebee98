/*
 * The masters of this gateway's sessions: one for each session on a host. They are supervised runs, so they go on when the gateway is
 * killed; the next one finds them by the labels of their runs.
 *
 * HS1 A session is active only while its master is live. A master that ends by itself fails the session, with its cause.
 * HS2 What ends a session ends its master: commands first, then the ladder of nextMaster.
 * HS3 A master whose session is over, or never was, is ended at the next look, and its files are removed (end-strays.ts).
 */
import type { AccountId, Clock, Log } from '@clawdfather/kit';
import {
  adoptMaster,
  isFailedLogin,
  type Master,
  type MasterCause,
  type MasterDeps,
  masterAddressLabel,
  masterDirLabel,
  type MasterEnd,
  type MasterHooks,
  type MasterState,
  openMaster,
} from '@clawdfather/ssh';
import {
  liveRunStates,
  type RunExit,
  type RunRecord,
  type Supervisor,
} from '@clawdfather/supervisor';
import { sshBackend } from '@clawdfather/supervisor/origins';
import type { HostTarget } from './host-target.ts';

export interface HostSessionName {
  readonly accountId: AccountId;
  readonly id: string;
}

export interface NewHostSession extends HostSessionName {
  /* The thread whose agent has it for itself; absent: it is for every command of the account. */
  readonly threadId?: string | undefined;
}

/* A session whose host answers. */
export interface LiveHost {
  readonly session: HostSessionName;
  /* The thread whose agent has it for itself. */
  readonly threadId?: string | undefined;
  readonly connectionId: string;
  readonly master: Master;
}

export interface HostSessionsDeps {
  readonly masters: MasterDeps & { readonly supervisor: Supervisor };
  readonly clock: Clock;
  readonly log: Log;
  readonly observer: HostObserver;
  /* No command starts any more, and those that run are ended, as a close does it. */
  readonly endCommands: (host: LiveHost) => Promise<void>;
  /* There is no way to the host any more. Those that run see it themselves. */
  readonly failCommands: (host: LiveHost, cause: MasterCause) => void;
  /* The host is gone, and with it the session. */
  readonly lost: (host: LiveHost, end: MasterEnd) => Promise<void>;
}

/* For the log and the metrics. */
export interface HostObserver {
  /* Until one of the two is called, once. */
  connecting(target: HostTarget, session: HostSessionName): Connecting;
  missed(host: LiveHost, count: number): void;
  disconnected(host: LiveHost, end: MasterEnd): void;
}

export interface Connecting {
  connected(latencyMs: number): void;
  refused(end: MasterEnd): void;
}

export interface HostSessions extends AsyncDisposable {
  /* `live`, or why not; then nothing of it is left. */
  start(
    session: NewHostSession,
    target: HostTarget,
    options: { readonly connectSeconds: number; readonly signal: AbortSignal },
  ): Promise<LiveHost | MasterEnd>;
  /* Of a session that was another gateway's, or ours before a restart. */
  adopt(session: HostSessionName, connectionId: string): Promise<'adopted' | 'gone'>;
  /* How the last master of a session ended, as far as it is on record. */
  lastEndOf(sessionId: string): RunExit | undefined;
  get(sessionId: string): LiveHost | undefined;
  onConnection(accountId: AccountId, connectionId: string): readonly LiveHost[];
  /* Resolves when nothing of its master is left. */
  end(sessionId: string, why: 'closed' | 'pin-changed' | 'key-revoked'): Promise<void>;
  count(): number;
  all(): readonly LiveHost[];
  /* Live, or on the way there. */
  has(sessionId: string): boolean;
  /* A session on it is live, or is being ended. */
  reaches(connectionId: string): boolean;
  /* Whether a master of ours has its files there. */
  uses(directory: string): boolean;
}

/* Stands in the place of a session's id: a master is no work in a session, it carries it. */
const masterSession = 'ssh';
export const ofSessionLabel = 'ofSession';
export const ofAccountLabel = 'ofAccount';
const ofThreadLabel = 'ofThread';

export function createHostSessions(deps: HostSessionsDeps): HostSessions {
  return new LiveHosts(deps);
}

type Begun = Omit<LiveHost, 'master'>;

/* A class: it holds what lives. */
class LiveHosts implements HostSessions {
  readonly #deps: HostSessionsDeps;
  readonly #live = new Map<string, LiveHost>();
  /* When the last login of a connection failed. */
  readonly #failures = new Map<string, number>();
  /* Being started, or being ended. */
  readonly #open = new Set<string>();
  readonly #directories = new Set<string>();

  constructor(deps: HostSessionsDeps) {
    this.#deps = deps;
  }

  async start(
    { threadId, ...session }: NewHostSession,
    target: HostTarget,
    { connectSeconds, signal }: Parameters<HostSessions['start']>[2],
  ): Promise<LiveHost | MasterEnd> {
    const { masters, clock, observer } = this.#deps;
    const { connectionId } = target;
    const failedAtMs = this.#failures.get(connectionId);
    const begunAtMs = clock.monotonicMs();
    const connecting = observer.connecting(target, session);
    const request = {
      ...target,
      connectSeconds,
      failedLoginMsAgo: failedAtMs === undefined ? undefined : begunAtMs - failedAtMs,
      sessionId: masterSession,
      backendId: sshBackend,
      labels: {
        [ofSessionLabel]: session.id,
        [ofAccountLabel]: session.accountId,
        ...(threadId === undefined ? {} : { [ofThreadLabel]: threadId }),
      },
    };
    const hooks = this.#hooksFor(session.id);
    const master = openMaster(masters, request, { hooks, signal });
    this.#watch(session, master);
    const started = await master.started;
    if (started !== 'live') {
      if (isFailedLogin(started.cause)) this.#failures.set(connectionId, clock.monotonicMs());
      connecting.refused(started);
      return started;
    }
    this.#failures.delete(connectionId);
    connecting.connected(Math.round(clock.monotonicMs() - begunAtMs));
    return this.#keep({ session, connectionId, threadId }, master);
  }

  async adopt(session: HostSessionName, connectionId: string): Promise<'adopted' | 'gone'> {
    const { masters } = this.#deps;
    const [record] = masters.supervisor.list({
      backendId: sshBackend,
      labels: { [ofSessionLabel]: session.id },
      states: liveRunStates,
      limit: 1,
    });
    const found = record && foundOf(record);
    if (found === undefined) return 'gone';
    const master = await adoptMaster(masters, found, this.#hooksFor(session.id));
    if (master === undefined) return 'gone';
    this.#watch(session, master);
    this.#keep({ session, connectionId, threadId: record?.labels[ofThreadLabel] }, master);
    return 'adopted';
  }

  lastEndOf(sessionId: string): RunExit | undefined {
    const labels = { [ofSessionLabel]: sessionId };
    const { supervisor } = this.#deps.masters;
    return supervisor.list({ backendId: sshBackend, labels, limit: 1 })[0]?.exit;
  }

  get(sessionId: string): LiveHost | undefined {
    return this.#live.get(sessionId);
  }

  onConnection(accountId: AccountId, connectionId: string): readonly LiveHost[] {
    return this.all().filter(
      (host) => host.connectionId === connectionId && host.session.accountId === accountId,
    );
  }

  async end(sessionId: string, why: 'closed' | 'pin-changed' | 'key-revoked'): Promise<void> {
    const host = this.#live.get(sessionId);
    if (host === undefined) return;
    this.#live.delete(sessionId);
    this.#ending.set(sessionId, host);
    const end = await host.master.drain(why);
    this.#ending.delete(sessionId);
    // The session has not asked for it.
    if (why === 'pin-changed') await this.#deps.lost(host, end);
  }

  count(): number {
    return this.#live.size;
  }

  all(): readonly LiveHost[] {
    return [...this.#live.values()];
  }

  has(sessionId: string): boolean {
    return this.#live.has(sessionId) || this.#open.has(sessionId);
  }

  reaches(connectionId: string): boolean {
    const hosts = [...this.#live.values(), ...this.#ending.values()];
    return hosts.some((host) => host.connectionId === connectionId);
  }

  uses(directory: string): boolean {
    return this.#directories.has(directory);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = this.all();
    this.#live.clear();
    await Promise.all(all.map(({ master }) => master.release()));
  }

  /* Taken out, and drained: its commands are still to be ended. */
  readonly #ending = new Map<string, LiveHost>();

  /* The host is there from the moment it is live; before that nothing runs through it. */
  #hooksFor(sessionId: string): MasterHooks {
    const known = (): LiveHost | undefined =>
      this.#live.get(sessionId) ?? this.#ending.get(sessionId);
    return {
      endCommands: async () => {
        const host = known();
        if (host !== undefined) await this.#deps.endCommands(host);
      },
      failCommands: () => {
        const host = known();
        if (host !== undefined) this.#deps.failCommands(host, endingOf(host.master.state()));
      },
      changed: (state, before) => {
        const host = known();
        const missed = state.status === 'live' ? state.missed : 0;
        const isMore = before.status === 'live' && missed > before.missed;
        if (host !== undefined && isMore) this.#deps.observer.missed(host, missed);
      },
    };
  }

  #watch(session: HostSessionName, master: Master): void {
    const { directory } = master.place;
    this.#open.add(session.id);
    this.#directories.add(directory);
    void master.ended.then(() => {
      this.#open.delete(session.id);
      this.#directories.delete(directory);
    });
  }

  /* HS1. A close that we asked for has taken it out before. */
  #keep(begun: Begun, master: Master): LiveHost {
    const { observer, lost, log } = this.#deps;
    const host: LiveHost = { ...begun, master };
    const { id } = host.session;
    this.#live.set(id, host);
    void master.ended.then(async (end) => {
      observer.disconnected(host, end);
      if (this.#live.get(id) !== host) return;
      this.#live.delete(id);
      await lost(host, end).catch((error: unknown) =>
        log.error('ssh.session-not-failed', { session_lease_id: id, error }),
      );
    });
    return host;
  }
}

function endingOf(state: MasterState): MasterCause {
  if (state.status === 'ended') return state.cause;
  return state.status === 'draining' && state.why === 'silence' ? 'keepalive' : 'closed';
}

function foundOf({ runId, labels }: RunRecord) {
  const directory = labels[masterDirLabel];
  const address = labels[masterAddressLabel];
  return directory === undefined ? undefined : { runId, directory, address };
}
