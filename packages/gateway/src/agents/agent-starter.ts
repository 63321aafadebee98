/*
 * How the agent of a thread is started here: as a supervised run in a shield, with our tools let in, that belongs to a session.
 *
 * A member's agent runs as the member's own Unix user, or not at all. On an SSH host it is a command like any other there, in a session
 * of its own.
 */
import { join } from 'node:path';
import {
  agentVariables,
  handshakeQuirks,
  journalBytesMax,
  onceStartOf,
  type ResolvedAgent,
  type ThreadRow,
  type TurnRow,
} from '@clawdfather/agents';
import { type AccountId, type Clock, loginEnvironment } from '@clawdfather/kit';
import {
  shieldVariable,
  toolsDirInside,
  toolsSocketName,
  toolsVariable,
} from '@clawdfather/protocol';
import type { Store } from '@clawdfather/store';
import {
  type ChildInput,
  type ManagedRun,
  type RemoteHosts,
  shimBinaryPath,
} from '@clawdfather/supervisor';
import {
  accountLabel,
  agentBackend,
  directoryOnHost,
  hostDirectoryLabel,
  hostLabel,
  hostNameLabel,
  nameLabel,
  requesterLabel,
  threadLabel,
  traceLabel,
} from '@clawdfather/supervisor/origins';
import type { AgentPlan, AgentStarter, StartedRun } from '@clawdfather/threads';
import { shieldInput } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import type { Tracing } from '../observe/tracing.ts';
import { belowTurn, parseTurnTrace } from '../observe/turn-trace.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { AgentPlaces } from '../hosts/agent-places.ts';
import type { AgentBinding } from '../hosts/agent-binding.ts';
import { contextOf } from './agent-context.ts';
import type { AgentKeyMaker } from './agent-keys.ts';
import type { AgentCatalogue } from './agent-catalogue.ts';
import { findProgram } from './find-program.ts';
import { asHostAway } from './host-away.ts';
import { createHostTools } from './host-tools.ts';
import { asNoPlace } from './no-place.ts';

export interface AgentStarterDeps {
  readonly config: GatewayConfig;
  readonly catalogue: AgentCatalogue;
  readonly runs: Pick<Runs, 'supervisor' | 'users' | 'shield' | 'toolServers' | 'toolLaunch'>;
  readonly remoteHosts: RemoteHosts;
  readonly hosts: AgentPlaces;
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: AgentKeyMaker;
  readonly tracing: Pick<Tracing, 'inSpan'>;
  /* The session that the agent of this thread belongs to: the one it has, or a new one. */
  readonly sessionFor: (accountId: AccountId, thread: ThreadRow) => Promise<string>;
  /* How an agent in this session works on the session's host. */
  readonly bindingOf: (
    accountId: AccountId,
    sessionId: string,
  ) => Promise<AgentBinding | undefined>;
}

export function createAgentStarter(deps: AgentStarterDeps): AgentStarter {
  return {
    plan: async (accountId, thread) => {
      const { catalogue } = deps;
      const { agent: name, connectionId } = thread;
      const planned = { accountId, thread };
      const here = (): Promise<AgentPlan> =>
        planHere(deps, { ...planned, agent: catalogue.resolve(name) }).catch((error: unknown) => {
          throw asNoPlace(error);
        });
      const plan =
        connectionId === undefined
          ? await here()
          : planOnHost(deps, {
              ...planned,
              agent: catalogue.resolveOnHost(name),
              connectionId,
            });
      return traced(deps, plan, thread);
    },
  };
}

/* A start is below the turn that it is for. */
function traced({ tracing }: AgentStarterDeps, plan: AgentPlan, { id }: ThreadRow): AgentPlan {
  const attributes = { agent_session_id: plan.sessionId ?? id };
  return {
    ...plan,
    start: (run, turn) => {
      const trace = parseTurnTrace(turn?.trace);
      const root = trace === undefined ? {} : { root: belowTurn(trace) };
      return tracing.inSpan({ name: 'agent.spawn', attributes, ...root }, () =>
        plan.start(run, turn),
      );
    },
  };
}

interface Planned {
  readonly accountId: AccountId;
  readonly thread: ThreadRow;
  readonly agent: ResolvedAgent;
}

async function planHere(deps: AgentStarterDeps, planned: Planned): Promise<AgentPlan> {
  const { config, runs } = deps;
  const { accountId, thread, agent } = planned;
  const user = runs.users.of(accountId);
  const sessionId = await deps.sessionFor(accountId, thread);
  const { shield, toolServers, supervisor } = runs;
  const home = user === undefined ? {} : { HOME: user.home, USER: user.name, LOGNAME: user.name };
  const isInside = (await shield?.state())?.hasNamespace === true;
  const context = await contextOf(deps, planned, { sessionId, isInside });
  const env: Readonly<Record<string, string>> = {
    ...loginEnvironment(config.runs.environment),
    ...home,
    ...agent.env,
    ...context.environment,
  };
  const input: ChildInput = {
    ...inputOf(planned, sessionId),
    argv: argvOf(agent),
    cwd: thread.cwd,
    env,
    ...(user === undefined ? {} : { runAs: user }),
    ...(agent.limits === undefined ? {} : { limits: agent.limits }),
    overallTimeoutMs: agent.timeoutMs,
  };
  const ageMs = deps.clock.wallMs() - thread.createdAtMs;
  return {
    setup: {
      clientVersion: config.version,
      mcpServers: isInside && toolServers !== undefined ? toolsOf(runs.toolLaunch ?? []) : [],
      ...handshakeQuirks(agent, env, ageMs),
      once: agent.once,
    },
    commandHash: agent.commandHash,
    program: findProgram(input.argv[0], env['PATH']),
    sessionId,
    start: async (run, turn) => {
      const { runId } = run;
      // One that is run once per turn has its prompt and its deadlines from the start.
      const own = agent.once === undefined ? {} : onceStartOf(agent, thread, { runId, turn });
      const begun = traceable(leased({ ...input, ...own }, run), turn);
      if (shield === undefined) return supervisor.spawn(begun);
      // Only the server of its tools, outside of the shield, uses it.
      if (isInside && toolServers !== undefined) await deps.keys.make(accountId, runId);
      const place = { tree: thread.cwd, user, letIn: context.letIn };
      return supervisor.spawn(await shieldInput({ shield, toolServers }, begun, place));
    },
  };
}

/*
 * The program is run on the host as it stands there, through a session of its own (hosts/agent-places.ts). It has no shield and none of our
 * tools: what it may do is what the user who logs in may do.
 */
function planOnHost(
  deps: AgentStarterDeps,
  { connectionId, ...planned }: Planned & { readonly connectionId: string },
): AgentPlan {
  const { accountId, thread, agent } = planned;
  const { id, cwd } = thread;
  let place = { sessionId: thread.sessionId ?? '', cwd };
  const { neverLoad } = handshakeQuirks(agent, {}, deps.clock.wallMs() - thread.createdAtMs);
  return {
    setup: { clientVersion: deps.config.version, mcpServers: [], neverLoad, servesHost: true },
    // Where it works is known when the host was reached.
    tools: () => {
      const { hosts, remoteHosts, runs, store, config } = deps;
      const { agentPolicy } = config.runs;
      const { supervisor } = runs;
      const shared = { hosts, remoteHosts, supervisor, store, agentPolicy };
      return createHostTools(shared, { accountId, connectionId, threadId: id, ...place });
    },
    commandHash: agent.commandHash,
    // What runs here carries it there (hosts/host-commands.ts).
    program: findProgram(shimBinaryPath(), undefined),
    sessionId: undefined,
    enter: async () => {
      refuseOnHost(agent);
      const [program] = argvOf(agent);
      const named = { id, agent: thread.agent, cwd };
      const wish = { accountId, connectionId, thread: named, program, environment: agent.env };
      place = await deps.hosts.enter(wish).catch((error: unknown) => {
        throw asHostAway(asNoPlace(error));
      });
      return place;
    },
    explainEnd: (exit) => {
      const { sessionId } = place;
      return deps.hosts.explainEnd({ accountId, connectionId, sessionId, exit });
    },
    start: (run, turn) => startOnHost(deps, { ...planned, connectionId, place, run, turn }),
  };
}

/* They are kept by the shim, and nothing of ours is on the host. */
function refuseOnHost({ name, limits, timeoutMs, once }: ResolvedAgent): void {
  if (once !== undefined) {
    const message = `agents.${name} is run once per turn: only on this machine`;
    const hint = 'On an SSH host an agent has to speak ACP.';
    throw new ApiError('unsupported', message, { hint });
  }
  if (limits === undefined && timeoutMs === undefined) return;
  throw new ApiError('unsupported', `agents.${name}.limits hold only on this machine`, {
    hint: 'On an SSH host, set them there, or name another agent without limits.',
  });
}

interface StartOnHost extends Planned {
  readonly connectionId: string;
  readonly place: { readonly sessionId: string; readonly cwd: string };
  readonly run: StartedRun;
  readonly turn: TurnRow | undefined;
}

async function startOnHost(deps: AgentStarterDeps, planned: StartOnHost): Promise<ManagedRun> {
  const { accountId, thread, agent, connectionId, place } = planned;
  const { runId } = planned.run;
  const { cwd, sessionId } = place;
  const { signal } = new AbortController();
  const host = await deps.remoteHosts.find(accountId, connectionId, signal);
  if (host?.prepare === undefined) {
    throw new ApiError('not_found', 'the SSH host of this thread is not there any more');
  }
  const context = await deps.hosts.environment(accountId, connectionId, sessionId);
  const command = {
    runId,
    account: accountId,
    command: { kind: 'argv', argv: argvOf(agent) },
    cwd,
    envAdditions: { ...context, ...agent.env },
    terminal: undefined,
    user: undefined,
    graceMs: undefined,
    requester: `thread:${thread.id}`,
    sessionId,
  } as const;
  const start = await host.prepare(command, signal).catch((error: unknown) => {
    throw asHostAway(error);
  });
  try {
    const { spawn, shownAs, graceMs } = start;
    if (spawn.mode !== 'child') throw new TypeError('an agent speaks over pipes');
    const { labels, ...input } = inputOf(planned, sessionId);
    const onHost = {
      ...labels,
      [hostLabel]: connectionId,
      [hostNameLabel]: host.name ?? connectionId,
      [hostDirectoryLabel]: directoryOnHost(cwd),
    };
    const begun = { ...input, ...spawn, labels: onHost, runId, shownAs, graceMs };
    const run = await deps.runs.supervisor.spawn(
      traceable(leased(begun, planned.run), planned.turn),
    );
    start.started(run);
    return run;
  } catch (error) {
    start.notStarted();
    throw error;
  }
}

/* What its lease has is in its environment, where anyone who wants to end it can read it (AP3). */
function leased(input: ChildInput, { runId, leaseId, commandHash }: StartedRun): ChildInput {
  const env = { ...input.env, [agentVariables.commandHash]: commandHash };
  return { ...input, runId, leaseId, env };
}

/* Lines about it have the trace of the turn that it is started for. */
function traceable(input: ChildInput, turn: TurnRow | undefined): ChildInput {
  const trace = parseTurnTrace(turn?.trace);
  if (trace === undefined) return input;
  return { ...input, labels: { ...input.labels, [traceLabel]: trace.traceId } };
}

/* One process per thread, whichever gateways try (W2). */
function inputOf({ accountId, thread }: Planned, sessionId: string) {
  return {
    mode: 'child',
    stdin: 'open',
    sessionId,
    backendId: agentBackend,
    labels: {
      [accountLabel]: accountId,
      [requesterLabel]: `thread:${thread.id}`,
      [threadLabel]: thread.id,
      [nameLabel]: `agent-${thread.agent}-${thread.id.slice(0, 6)}`,
    },
    scopeKey: `thread:${thread.id}`,
    // It lives as long as its session; turns have deadlines of their own.
    overallTimeoutMs: undefined,
    leftovers: 'end',
    journal: { mode: 'hold', bytesMax: journalBytesMax },
  } as const satisfies Partial<ChildInput>;
}

/*
 * Inside of the shield this becomes the relay to the tool server outside (W15). The variables are those of the run itself; many agents
 * give their servers few of their own.
 */
function toolsOf([command = '', ...args]: readonly string[]) {
  if (command === '') return [];
  const env = [
    { name: shieldVariable, value: 'full' },
    { name: toolsVariable, value: join(toolsDirInside, toolsSocketName) },
  ];
  return [{ name: 'clawdfather', command, args: [...args, 'mcp'], env }];
}

function argvOf({ argv, name }: ResolvedAgent): readonly [string, ...string[]] {
  const [program, ...args] = argv;
  if (program === undefined) throw new TypeError(`the agent ${name} has no program`);
  return [program, ...args];
}
