/*
 * How the agent of a thread is started here: as a supervised run in a shield, with our tools let in, that belongs to a session.
 *
 * A member's agent runs as the member's own Unix user, or not at all. On an SSH host it is a command like any other there.
 */
import { join } from 'node:path';
import {
  journalBytesMax,
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
import type { ChildInput, RemoteHosts } from '@clawdfather/supervisor';
import {
  accountLabel,
  agentBackend,
  nameLabel,
  requesterLabel,
  threadLabel,
  traceLabel,
} from '@clawdfather/supervisor/origins';
import type { AgentPlan, AgentStarter } from '@clawdfather/threads';
import { shieldInput } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import type { Tracing } from '../observe/tracing.ts';
import { belowTurn, parseTurnTrace } from '../observe/turn-trace.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { AgentCatalogue } from './agent-catalogue.ts';

export interface AgentStarterDeps {
  readonly config: GatewayConfig;
  readonly catalogue: AgentCatalogue;
  readonly runs: Pick<Runs, 'supervisor' | 'users' | 'shield' | 'toolServers' | 'toolLaunch'>;
  readonly remoteHosts: RemoteHosts;
  readonly clock: Clock;
  readonly tracing: Pick<Tracing, 'inSpan'>;
  /* The session that the agent of this thread belongs to: the one it has, or a new one. */
  readonly sessionFor: (accountId: AccountId, thread: ThreadRow) => Promise<string>;
}

export function createAgentStarter(deps: AgentStarterDeps): AgentStarter {
  return {
    plan: async (accountId, thread) => {
      const agent = deps.catalogue.resolve(thread.agent);
      const { connectionId } = thread;
      const planned = { accountId, thread, agent };
      const plan =
        connectionId === undefined
          ? await planHere(deps, planned)
          : await planOnHost(deps, { ...planned, connectionId });
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
  const env = { ...loginEnvironment(config.runs.environment), ...home, ...agent.env };
  const input: ChildInput = {
    ...inputOf(planned, sessionId),
    argv: argvOf(agent),
    cwd: thread.cwd,
    env,
    ...(user === undefined ? {} : { runAs: user }),
  };
  const ageMs = deps.clock.wallMs() - thread.createdAtMs;
  const isInside = (await shield?.state())?.hasNamespace === true;
  return {
    setup: {
      clientVersion: config.version,
      mcpServers: isInside && toolServers !== undefined ? toolsOf(runs.toolLaunch ?? []) : [],
      ...quirksFor(agent, env, { ageMs }),
    },
    commandHash: agent.commandHash,
    sessionId,
    start: async ({ runId }, turn) => {
      const begun = { ...input, runId, labels: { ...input.labels, ...traceOf(turn) } };
      if (shield === undefined) return supervisor.spawn(begun);
      const place = { tree: thread.cwd, user };
      return supervisor.spawn(await shieldInput({ shield, toolServers }, begun, place));
    },
  };
}

async function planOnHost(
  deps: AgentStarterDeps,
  { connectionId, ...planned }: Planned & { readonly connectionId: string },
): Promise<AgentPlan> {
  const { config, runs, remoteHosts } = deps;
  const { accountId, thread, agent } = planned;
  const { signal } = new AbortController();
  const host = await remoteHosts.find(accountId, connectionId, signal);
  if (host?.prepare === undefined) {
    throw new ApiError('not_found', 'the SSH host of this thread is not there any more');
  }
  const prepare = host.prepare.bind(host);
  return {
    setup: { clientVersion: config.version, mcpServers: [] },
    commandHash: agent.commandHash,
    sessionId: undefined,
    start: async ({ runId }, turn) => {
      const start = await prepare(
        {
          runId,
          account: accountId,
          command: { kind: 'argv', argv: argvOf(agent) },
          cwd: thread.cwd,
          envAdditions: { ...agent.env },
          terminal: undefined,
          user: undefined,
          graceMs: undefined,
          requester: `thread:${thread.id}`,
          sessionId: undefined,
        },
        signal,
      );
      try {
        const { spawn, sessionId, shownAs, graceMs } = start;
        if (spawn.mode !== 'child') throw new TypeError('an agent speaks over pipes');
        const own = inputOf(planned, sessionId);
        const labels = { ...own.labels, ...traceOf(turn) };
        const input = { ...own, ...spawn, runId, shownAs, graceMs, labels };
        const run = await runs.supervisor.spawn(input);
        start.started(run);
        return run;
      } catch (error) {
        start.notStarted();
        throw error;
      }
    },
  };
}

function traceOf(turn: TurnRow | undefined): Readonly<Record<string, string>> {
  const trace = parseTurnTrace(turn?.trace);
  return trace === undefined ? {} : { [traceLabel]: trace.traceId };
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

/* What it does differently, as far as the handshake has to know. */
function quirksFor({ quirks }: ResolvedAgent, env: Env, { ageMs }: { readonly ageMs: number }) {
  const variable = Object.keys(quirks.authenticateFor).find((name) => (env[name] ?? '') !== '');
  const authenticateBy = variable && quirks.authenticateFor[variable];
  const isSpoiled = ageMs < quirks.loadErasesYoungerThanMs;
  return {
    neverLoad: isSpoiled || !quirks.takesUpBy.includes('load'),
    ...(authenticateBy === undefined ? {} : { authenticateBy }),
  };
}

type Env = Readonly<Record<string, string>>;
