/*
 * Where the agent of a thread works on an SSH host: its session, its directory, and whether its program is there.
 *
 * Stages: the session that the thread has, or a new one → what earlier agents of the thread may have left there is ended, and proven to be
 * (W11: some agents hold a lock on the conversation) → one look for the directory and the program.
 */
import { AgentsError } from '@clawdfather/agents';
import type { AccountId, Clock, Random } from '@clawdfather/kit';
import { causeOfUnseenEnd, planCommand } from '@clawdfather/ssh';
import type { Connection, Store } from '@clawdfather/store';
import { type RunExit, shimBinaryPath, type Supervisor } from '@clawdfather/supervisor';
import { agentBackend, threadLabel } from '@clawdfather/supervisor/origins';
import { ToolsError } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import { hostContextOf } from './agent-binding.ts';
import type { Losses } from './explain-loss.ts';
import { homeOnHost, type HostCommands } from './host-commands.ts';
import type { HostSessions, LiveHost } from './host-sessions.ts';
import type { LeaseFiles } from './lease-files.ts';
import type { SessionStarts } from './session-starts.ts';
import type { ShortCommand } from './host-files.ts';
import { type Answer, runThrough, streamThrough, type ThroughCommand } from './through-master.ts';
import { TreeError } from '../artifacts/artifact-tree.ts';
import type { ShellRun } from '../artifacts/shell-tree.ts';

export interface AgentPlaceWish {
  readonly accountId: AccountId;
  readonly connectionId: string;
  readonly thread: {
    readonly id: string;
    readonly agent: string;
    readonly cwd: string;
  };
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface AgentPlaces {
  /* Throws `host-unreachable`, `agent-not-on-host`, `workdir-unusable`. */
  enter(wish: AgentPlaceWish): Promise<{ readonly sessionId: string; readonly cwd: string }>;
  /* The end of an agent whose connection was lost while no gateway looked, with the cause of that. */
  explainEnd(place: EndedPlace): Promise<RunExit>;
  /* A short command of ours in its session. Throws `host-unreachable` where there is no answer. */
  runShort(sessionId: string, command: ShortCommand): Promise<Answer>;
  /* The same for output that is too large to wait for. Its exit code. Throws a `TreeError` where there is no answer. */
  streamShort(sessionId: string, run: ShellRun): Promise<number>;
  /* What an agent is told about where it is. */
  environment(
    accountId: AccountId,
    connectionId: string,
    sessionId: string,
  ): Promise<Readonly<Record<string, string>>>;
}

export interface EndedPlace {
  readonly accountId: AccountId;
  readonly connectionId: string;
  readonly sessionId: string;
  readonly exit: RunExit;
}

export interface AgentPlacesDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly supervisor: Pick<Supervisor, 'list' | 'get'>;
  readonly hosts: HostSessions;
  readonly commands: Pick<HostCommands, 'sweep'>;
  readonly leases: Pick<LeaseFiles, 'list'>;
  readonly losses: Pick<Losses, 'explainEnded'>;
  readonly starts: SessionStarts;
}

export function createAgentPlaces(deps: AgentPlacesDeps): AgentPlaces {
  return {
    enter: async (wish) => {
      const connection = await connectionOf(deps, wish);
      const host = liveOf(deps, wish) ?? (await start(deps, wish, connection));
      await proveEnded(deps, host, wish);
      const cwd = await look(deps, host, { ...wish, label: connection.label });
      return { sessionId: host.session.id, cwd };
    },
    explainEnd: async ({ accountId, connectionId, sessionId, exit }) => {
      const { hosts, losses, supervisor } = deps;
      const isKnown = exit.hostCause !== undefined || hosts.get(sessionId) !== undefined;
      if (isKnown) return exit;
      const session = { accountId, id: sessionId };
      const cause = causeOfUnseenEnd(hosts.lastEndOf(sessionId));
      await losses.explainEnded({ session, connectionId }, cause);
      return supervisor.get(exit.runId)?.exit ?? exit;
    },
    runShort: async (sessionId, { argv, ...command }) => {
      const host = deps.hosts.get(sessionId);
      const plan = host && shortPlan(deps, host, { argv });
      const answer = plan && (await throughHost(deps, host, { ...command, ...plan }));
      // 255: the connection was lost.
      if (answer !== undefined && answer.code !== noCode) return answer;
      throw new ToolsError('host-unreachable', 'the host gave no answer');
    },
    streamShort: async (sessionId, { argv, take, signal }) => {
      const host = deps.hosts.get(sessionId);
      if (host === undefined) throw new TreeError('unreachable');
      const through = { shimPath: shimBinaryPath(), socketPath: host.master.place.socketPath };
      const { execString, stdinPayload = '' } = shortPlan(deps, host, { argv });
      const command = { execString, stdin: stdinPayload, take, signal };
      const code = await streamThrough(through, command);
      if (code === undefined || code === noCode) throw new TreeError('unreachable');
      return code;
    },
    environment: async (accountId, connectionId, sessionId) => {
      const connection = await connectionOf(deps, { accountId, connectionId });
      return hostContextOf(connection, sessionId);
    },
  };
}

async function connectionOf(
  { store }: AgentPlacesDeps,
  { accountId, connectionId }: Pick<AgentPlaceWish, 'accountId' | 'connectionId'>,
): Promise<Connection> {
  const connection = await store.forAccount(accountId).connections.get(connectionId);
  if (connection !== undefined) return connection;
  throw new ApiError('not_found', 'the SSH host of this thread is not there any more');
}

function liveOf(
  { hosts }: AgentPlacesDeps,
  { accountId, connectionId, thread }: AgentPlaceWish,
): LiveHost | undefined {
  return hosts
    .onConnection(accountId, connectionId)
    .find(({ threadId, master }) => threadId === thread.id && master.state().status === 'live');
}

async function start(
  { starts }: AgentPlacesDeps,
  { accountId, connectionId, thread }: AgentPlaceWish,
  { label }: Connection,
): Promise<LiveHost> {
  const { id: threadId, agent } = thread;
  try {
    const requester = `thread:${threadId}`;
    return await starts.forAgent({ accountId, connectionId, requester, agent, threadId });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, hint, detail } = error;
    throw new ToolsError('host-unreachable', `${label}: ${message}`, {
      detail: { host: label, code, ...detail },
      hint: hint ?? `Look at it with: clf host test ${label}`,
      cause: error,
    });
  }
}

/* W11: the next agent is started when the ones before it are proven dead. */
async function proveEnded(
  { commands, leases, supervisor }: AgentPlacesDeps,
  host: LiveHost,
  { connectionId, thread }: AgentPlaceWish,
): Promise<void> {
  const labels = { [threadLabel]: thread.id };
  const earlier = supervisor.list({ backendId: agentBackend, labels, includeRemoved: true });
  if (earlier.length === 0) return;
  await commands.sweep(host);
  const left = (await leases.list(connectionId)).find(
    ({ kind, id }) => kind === 'command' && earlier.some(({ runId }) => runId === id),
  );
  if (left === undefined) return;
  throw new ToolsError('host-unreachable', 'an earlier agent of this thread may still run there', {
    detail: { runId: left.id },
    hint: 'It could not be ended. Once it is gone from the host, say it again.',
  });
}

const shortMs = 20_000;
/* The client's status where the host gave no code. */
const noCode = 255;
/* Not left alone in the output: what a login shell says when it starts may come before. */
const looks = `printf 'CLF-AT %s\\n' "$(pwd -P)"; command -v -- "$1" >/dev/null 2>&1 && echo CLF-HAS`;
/* Of the script that goes to the directory (docs/ssh.md). */
const noDirectory = 252;

/* The directory as the host calls it, links followed. */
async function look(
  deps: AgentPlacesDeps,
  host: LiveHost,
  { thread, program, environment, label }: AgentPlaceWish & { readonly label: string },
): Promise<string> {
  const argv = ['sh', '-c', looks, 'clf', program] as const;
  const directory = thread.cwd === homeOnHost ? undefined : thread.cwd;
  const { execString, stdinPayload } = shortPlan(deps, host, { argv, directory, environment });
  const answer = await throughHost(deps, host, { execString, stdin: stdinPayload });
  if (answer?.code === noDirectory) {
    throw new ToolsError('workdir-unusable', `${thread.cwd} is not a directory on ${label}`);
  }
  const cwd = /^CLF-AT (\/.*)$/m.exec(answer?.stdout ?? '')?.[1];
  if (cwd === undefined) {
    const wasLost = answer === undefined || answer.code === noCode;
    throw new ToolsError('host-unreachable', `${label} did not say where its commands run`, {
      ...(wasLost ? { detail: { cause: 'host-closed' } } : {}),
      hint: `Look at it with: clf host test ${label}`,
    });
  }
  if (/^CLF-HAS$/m.test(answer?.stdout ?? '')) return cwd;
  throw new AgentsError(
    'agent-not-on-host',
    `${program} is not on ${label}, or not in PATH there`,
    {
      detail: { program },
      hint: `Install it there, or give its whole path in agents.${thread.agent}.command of the gateway’s settings.`,
    },
  );
}

interface ShortPlan {
  readonly argv: readonly [string, ...string[]];
  readonly directory?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

/* Not on the list of leases: it is over in a moment, and what it left would go with the session. */
function shortPlan({ random }: AgentPlacesDeps, { session }: LiveHost, wish: ShortPlan) {
  const { argv, directory, environment } = wish;
  return planCommand({
    command: { argv },
    leaseId: `${random.id()}${random.id()}`,
    sessionLeaseId: session.id,
    nonce: random.id(),
    directory,
    environment,
    isTerminal: false,
    graceMs: 1_000,
  });
}

function throughHost(
  { clock }: AgentPlacesDeps,
  { master }: LiveHost,
  command: Omit<ThroughCommand, 'limitMs'>,
): Promise<Answer | undefined> {
  const through = { clock, shimPath: shimBinaryPath(), socketPath: master.place.socketPath };
  return runThrough(through, { ...command, limitMs: shortMs });
}
