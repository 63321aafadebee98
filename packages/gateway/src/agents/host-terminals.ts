/*
 * The terminals that an agent on a host asks for (W14): supervised runs of its account on that host, in its session. They are listed, shown and
 * ended as other runs there, and end with the agent.
 *
 * HT1 The id of a run is that of the request, so that it is started once, whichever gateways try (S1).
 * HT2 An agent reaches only what it has started itself.
 */
import type { JsonObject } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import {
  type HostPort,
  liveRunStates,
  type ManagedRun,
  outputStart,
  type RunExit,
  type RunId,
  type Supervisor,
} from '@clawdfather/supervisor';
import {
  accountLabel,
  directoryOnHost,
  execBackend,
  hostDirectoryLabel,
  hostLabel,
  hostNameLabel,
  requesterLabel,
} from '@clawdfather/supervisor/origins';
import type { HostTools, NewTerminal, TerminalName } from '@clawdfather/threads';
import { ToolsError } from '@clawdfather/tools';

export interface HostTerminalsDeps {
  readonly supervisor: Supervisor;
  readonly accountId: AccountId;
  readonly connectionId: string;
  readonly threadId: string;
  readonly sessionId: string;
  readonly cwd: string;
  /* Throws where there is none any more. */
  readonly host: () => Promise<HostPort>;
}

type Terminals = Pick<
  HostTools,
  'createTerminal' | 'terminalOutput' | 'waitForTerminal' | 'endTerminal' | 'endTerminals'
>;

const agentRunLabel = 'agentRun';
const outputLabel = 'outputBytes';
/* At a time, of one agent: a host gives eight commands at a time to all of a session. */
const terminalsMax = 16;
/* Builds and servers of a day. */
const terminalMsMax = 24 * 60 * 60 * 1000;
const journalBytesMax = 4 * 1024 * 1024;
/* What an agent is shown where it names no limit; it is one message. */
const outputBytesUsual = 1024 * 1024;

export function createHostTerminals(deps: HostTerminalsDeps): Terminals {
  const { supervisor, threadId } = deps;
  const actor = `thread:${threadId}`;
  const ofAgent = (agentRunId: RunId) =>
    supervisor.list({
      backendId: execBackend,
      labels: { [agentRunLabel]: agentRunId },
      states: liveRunStates,
    });
  // HT2
  const find = async ({ terminalId, agentRunId }: TerminalName): Promise<ManagedRun> => {
    const record = supervisor.get(terminalId as RunId);
    if (record?.labels[agentRunLabel] === agentRunId) return supervisor.attach(record.runId);
    throw new ToolsError('unknown-run', 'there is no such terminal');
  };
  return {
    createTerminal: async (terminal) => {
      if (supervisor.get(terminal.runId) !== undefined) return;
      if (ofAgent(terminal.agentRunId).length >= terminalsMax) {
        throw new ToolsError('run-limit-reached', `${terminalsMax} terminals are open already`);
      }
      await start(deps, terminal);
    },
    terminalOutput: async (name) => showOutput(await find(name)),
    waitForTerminal: async (name, signal) => showExit(await (await find(name)).wait(signal)),
    endTerminal: async (name) => {
      const run = await find(name);
      if (run.snapshot().exit === undefined) await run.cancel('manual-cancel', actor);
    },
    endTerminals: async (agentRunId) => {
      const live = ofAgent(agentRunId);
      await Promise.all(live.map(({ runId }) => supervisor.cancel(runId, 'manual-cancel', actor)));
    },
  };
}

async function start(deps: HostTerminalsDeps, { runId, agentRunId, params }: NewTerminal) {
  const { accountId, connectionId, threadId, sessionId } = deps;
  const host = await deps.host();
  const { command, args, env, cwd, outputByteLimit } = params as unknown as TerminalParams;
  const directory = cwd ?? deps.cwd;
  const requester = `thread:${threadId}`;
  const start = await host.prepare?.(
    {
      runId,
      account: accountId,
      command: { kind: 'argv', argv: [command, ...(args ?? [])] },
      cwd: directory,
      envAdditions: Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      terminal: undefined,
      user: undefined,
      graceMs: undefined,
      requester,
      sessionId,
    },
    new AbortController().signal,
  );
  if (start === undefined) throw new TypeError('commands on a host are prepared');
  try {
    const { spawn, shownAs, graceMs } = start;
    if (spawn.mode !== 'child') throw new TypeError('it has no terminal of its own');
    const run = await deps.supervisor.spawn({
      ...spawn,
      runId,
      shownAs,
      graceMs,
      sessionId,
      stdin: 'closed',
      backendId: execBackend,
      labels: {
        [accountLabel]: accountId,
        [requesterLabel]: requester,
        [hostLabel]: connectionId,
        [hostNameLabel]: host.name ?? connectionId,
        [hostDirectoryLabel]: directoryOnHost(directory),
        [agentRunLabel]: agentRunId,
        [outputLabel]: String(outputByteLimit ?? outputBytesUsual),
      },
      overallTimeoutMs: terminalMsMax,
      leftovers: 'end',
      journal: { mode: 'ring', bytesMax: journalBytesMax },
    });
    start.started(run);
  } catch (error) {
    start.notStarted();
    throw error;
  }
}

/* They were looked at before the request got its row. */
interface TerminalParams {
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly cwd?: string | null;
  readonly outputByteLimit?: number | null;
}

/* The end of it: what is before the limit is left out, from a whole character on. */
async function showOutput(run: ManagedRun): Promise<JsonObject> {
  const { labels, exit } = run.snapshot();
  const bytesMax = Math.min(Number(labels[outputLabel]) || outputBytesUsual, journalBytesMax);
  const pieces: Uint8Array[] = [];
  let isCut = false;
  for await (const event of run.outputSoFar(outputStart)) {
    if (event.kind === 'output') pieces.push(Uint8Array.from(event.bytes));
    else if (event.kind === 'gap') isCut = true;
  }
  const all = Buffer.concat(pieces);
  let from = Math.max(0, all.length - bytesMax);
  while (from > 0 && from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const output = all.toString('utf8', from);
  const status = exit === undefined ? {} : { exitStatus: showExit(exit) };
  return { output, truncated: isCut || from > 0, ...status };
}

function showExit({ code, signal }: RunExit): JsonObject {
  return { exitCode: code ?? null, signal: signal ?? null };
}
