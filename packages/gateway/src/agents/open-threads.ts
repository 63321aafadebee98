/*
 * Conversations with agents at this gateway: the threads' runtime, joined to the database, the supervisor and the sessions.
 */
import type { ThreadName, ThreadRow } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import { decideOn } from '@clawdfather/sessions';
import type { Store } from '@clawdfather/store';
import type { RemoteHosts } from '@clawdfather/supervisor';
import {
  type AgentClose,
  createEventDesk,
  createThreads,
  type EventDesk,
  createWakes,
  type Threads,
  type ThreadsObserver,
} from '@clawdfather/threads';
import { makeVisible } from '@clawdfather/tools/text';
import { type Artifacts, openArtifacts } from '../artifacts/open-artifacts.ts';
import { tooManySessions } from '../accounts/session-bounds.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import type { GatewayDeps } from '../gateway-parts.ts';
import type { Hosts } from '../hosts/open-hosts.ts';
import { ApiError } from '../http/api-error.ts';
import type { Observe } from '../observe/open-observe.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { Instance } from '../sessions/instance.ts';
import { type AgentCatalogue, createAgentCatalogue } from './agent-catalogue.ts';
import { createAgentKeyMaker } from './agent-keys.ts';
import { createAgentStarter } from './agent-starter.ts';
import { availableMemory } from './available-memory.ts';
import { queueLimits } from './queue-limits.ts';
import { createThreadObserver } from './thread-observer.ts';

export interface AgentThreads {
  readonly catalogue: AgentCatalogue;
  readonly threads: Threads;
  readonly desk: EventDesk;
  /* What turns leave. */
  readonly artifacts: Artifacts;
  /* Goes on with what earlier gateways have left. */
  takeUp(): Promise<void>;
}

export interface OpenThreadsDeps extends GatewayDeps {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly runs: Runs;
  readonly remoteHosts: RemoteHosts;
  readonly hosts: Pick<Hosts, 'agents' | 'binding'>;
  readonly instance: Instance;
  readonly observe: Pick<Observe, 'metrics' | 'tracing' | 'apart'>;
}

/* Of one account: agents that nobody talks to are closed after half an hour. */
const agentSessionsMax = 64;

export async function openThreads(deps: OpenThreadsDeps): Promise<AgentThreads & AsyncDisposable> {
  const { store, runs, clock, random, log, observe } = deps;
  const desk = createEventDesk();
  const catalogue = createAgentCatalogue(deps.config);
  const starter = createAgentStarter({
    ...deps,
    tracing: deps.observe.tracing,
    keys: createAgentKeyMaker({
      stateDir: deps.config.stateDir,
      random,
      recordsOf: (accountId) => store.forAccount(accountId).agentSessions,
      supervisor: runs.supervisor,
    }),
    hosts: deps.hosts.agents,
    catalogue,
    sessionFor: (accountId, thread) => sessionFor(deps, accountId, thread),
    bindingOf: (accountId, sessionId) => deps.hosts.binding(accountId, sessionId),
  });
  const observer = createThreadObserver({ ...observe, log, metrics: observe.metrics.turns });
  const threads = createThreads({
    recordsOf: (accountId) => store.forAccount(accountId).threads,
    due: store.system.threads,
    queue: store.system.queue,
    desk,
    supervisor: runs.supervisor,
    lookAfter: (record) => runs.takeOver.lookAfter(record),
    starter,
    observer: telling(observer, () => wakes.look()),
    sessions: {
      endOf: async (accountId, sessionId) => {
        const session = await store.forAccount(accountId).sessions.get(sessionId);
        if (session?.status === 'error') return 'lost';
        return session === undefined || session.endedAtMs !== undefined ? 'closed' : undefined;
      },
    },
    clock,
    random,
    log,
    silenceMs: deps.config.agents?.silenceMs,
    limits: queueLimits(deps.config.agents),
    availableBytes: () => availableMemory(),
  });
  const wakes = createWakes({
    wakes: store.system.wakes,
    recordsOf: (accountId) => store.forAccount(accountId).threads,
    prompt: (name, prompt) => threads.prompt(name, prompt),
    observer,
    makeVisible,
    clock,
    random,
    log,
  });
  const artifacts = await openArtifacts({ ...deps, threads, desk });
  return {
    catalogue,
    threads,
    desk,
    artifacts,
    takeUp: async () => {
      await threads.takeUp();
      artifacts.start();
      wakes.look();
    },
    [Symbol.asyncDispose]: async () => {
      await wakes.close();
      await artifacts[Symbol.asyncDispose]();
      await threads.close();
    },
  };
}

/* The end of a turn may be what another thread waits for. */
function telling(observer: ThreadsObserver, onEnded: () => void): ThreadsObserver {
  return {
    ...observer,
    told: (about, event) => {
      observer.told(about, event);
      if (event.type === 'turn-ended' && event.turn.wakeId !== undefined) onEnded();
    },
  };
}

/* The open one that the thread has, or a new one. Closing it ends the agent; the thread's next prompt opens another. */
async function sessionFor(
  { config, store, instance }: OpenThreadsDeps,
  accountId: AccountId,
  thread: ThreadRow,
): Promise<string> {
  const mine = store.forAccount(accountId);
  const known = thread.sessionId && (await mine.sessions.get(thread.sessionId));
  if (known && known.endedAtMs === undefined) return known.id;
  // Here it would do to this machine what it was told to do to the host.
  if (thread.viaConnectionId !== undefined) {
    throw new ApiError('expired', 'the session on the host is over; start another one there');
  }
  const audit = { action: 'session.start', actor: `thread:${thread.id}` };
  const openMax = config.agents?.sessionsMax ?? agentSessionsMax;
  return mine.transaction(async ({ sessions }) => {
    const created = await sessions.create({
      agent: thread.agent,
      owner: instance.owner(),
      openMax,
      audit,
    });
    if (created.outcome === 'session_limit_reached') throw tooManySessions(openMax);
    if (created.outcome !== 'created') {
      const code = created.outcome === 'connection_not_found' ? 'not_found' : created.outcome;
      throw new ApiError(code);
    }
    const { id, epoch } = created.session;
    await sessions.change(
      id,
      decideOn({ type: 'activated', epoch, agentSessionId: thread.id }, audit),
    );
    return id;
  });
}

/* What sessions ask of the threads, which are opened after them. */
export function createLateThreads() {
  let bound: AgentThreads | undefined;
  return {
    withTurns: () => bound?.threads.withTurns() ?? [],
    close: async (name: ThreadName, close: AgentClose): Promise<void> =>
      bound?.threads.agents.closeSession(name, close),
    reap: async (): Promise<void> => {
      await bound?.threads.agents.reapStartupOrphans();
      await bound?.threads.giveUpLost();
    },
    bind: (opened: AgentThreads): void => {
      bound = opened;
    },
  };
}
