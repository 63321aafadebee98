/*
 * Tool servers: how a shielded command has our tools. Inside of a shield the registry is not there, so `clf mcp` cannot work in it.
 * The server runs outside, as a run of its own, behind a socket that is the one thing let in; inside, a relay joins
 * the agent's input and output to that socket. Which commands may start is decided outside, as for any other agent.
 *
 * TS1 A socket belongs to one run: it is in a directory of that run, and only that run's shield shows it.
 * TS2 The listener is started before the run and ends with it, whichever processes have died in between (listen.c). What it starts for
 *     a connection is `clf mcp`, which needs no gateway.
 * TS3 The same run twice has one listener: its scope is the run's id (S1).
 * TS4 A listener that ends before its run is started anew, by the process that started it or a gateway that comes later. Its
 *     directory is what the run's shield shows, so the new socket is seen there.
 * TS5 The server of an agent in a thread is told where the key of this agent lies. It speaks to the gateway as this one session.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, type Log } from '@clawdfather/kit';
import {
  liveRunStates,
  type ManagedRun,
  type RunId,
  type RunRecord,
  type SpawnInput,
  shimBinaryPath,
  type Supervisor,
} from '@clawdfather/supervisor';
import {
  nameLabel,
  shieldLabel,
  threadLabel,
  toolsForLabel,
  toolsLabel,
} from '@clawdfather/supervisor/origins';
import { agentKeyPath, agentKeyVariable } from './agent-key-file.ts';

/* How `clf` is started here, and with which environment. */
export interface ToolServerLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ToolServersDeps {
  readonly supervisor: Pick<Supervisor, 'spawn' | 'get' | 'list' | 'attach'>;
  readonly stateDir: string;
  readonly launch: ToolServerLaunch;
  readonly log: Log;
}

/* The run that is to have tools. */
export type ServedRun = Pick<RunRecord, 'sessionId' | 'backendId' | 'labels' | 'cwd'> & {
  readonly runId: string;
};

export interface ToolServers {
  /* The directory of the socket, to be let into the run's shield. The run has to be started next. */
  open(run: ServedRun): Promise<string>;
  /* Looks after the listeners of runs that other processes have started, and starts those that are missing. */
  takeUp(): Promise<void>;
}

/* Listeners that end so soon, so many times, cannot live here: another one would not either. */
const soonMs = 5_000;
const soonMax = 3;

export function createToolServers(deps: ToolServersDeps): ToolServers {
  const { supervisor, stateDir, log } = deps;
  const root = join(stateDir, 'tools');
  const open = async (run: ServedRun, soonEnds = 0): Promise<string> => {
    const directory = join(root, run.runId);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    try {
      lookAfter(await supervisor.spawn(listenerOf(deps, run, directory)), run, soonEnds);
    } catch (error) {
      // Another process has started it.
      if (hasCode(error, 'scope-busy')) return directory;
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
    return directory;
  };
  /* TS4. The wait ends with the supervisor, too; then another process looks after it. */
  const lookAfter = (listener: ManagedRun, run: ServedRun, soonEnds = 0): void => {
    const again = async (): Promise<void> => {
      const { durationMs = 0 } = await listener.wait();
      const served = supervisor.get(run.runId as RunId);
      if (served === undefined || served.treeEndedAtMs !== undefined) return;
      log.warn('tools.listener-ended', { runId: run.runId, durationMs });
      const ends = durationMs < soonMs ? soonEnds + 1 : 0;
      if (ends <= soonMax) await open(run, ends);
    };
    again().catch((error: unknown) => {
      if (!hasCode(error, 'supervisor-closed')) log.warn('tools.listener-lost', { error });
    });
  };
  const takeUpOne = async (run: RunRecord): Promise<void> => {
    const filter = { labels: { [toolsForLabel]: run.runId }, states: liveRunStates, limit: 1 };
    const [listener] = supervisor.list(filter);
    if (listener === undefined) await open(run);
    else lookAfter(await supervisor.attach(listener.runId), run);
  };
  return {
    open: (run) => open(run),
    takeUp: async () => {
      const served = supervisor.list({ labels: { [toolsLabel]: 'served' }, states: liveRunStates });
      for (const run of served) {
        await takeUpOne(run).catch((error: unknown) =>
          log.warn('tools.listener-lost', { runId: run.runId, error }),
        );
      }
      await removeOld(deps, root);
    },
  };
}

function listenerOf(
  { stateDir, launch }: ToolServersDeps,
  run: ServedRun,
  directory: string,
): SpawnInput {
  const { runId, sessionId, backendId, labels, cwd } = run;
  const { [nameLabel]: _name, [shieldLabel]: _shield, [toolsLabel]: _tools, ...others } = labels;
  const server = [...launch.argv, 'mcp', '--workdir', cwd];
  // TS5
  const key =
    labels[threadLabel] === undefined ? {} : { [agentKeyVariable]: agentKeyPath(stateDir, runId) };
  return {
    mode: 'child',
    argv: [shimBinaryPath(), 'listen', directory, join(stateDir, 'runs', runId), ...server],
    shownAs: `clf mcp, for run ${runId}`,
    stdin: 'closed',
    cwd: '/',
    env: { ...launch.env, ...key },
    sessionId,
    backendId,
    labels: { ...others, [toolsForLabel]: runId },
    scopeKey: `tools:${runId}`,
    overallTimeoutMs: undefined,
    leftovers: 'end',
  };
}

/* A listener removes its directory; one that was killed has left it. */
async function removeOld({ supervisor }: ToolServersDeps, root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const record = supervisor.get(name as RunId);
    // A run without a record may be about to start.
    if (record?.treeEndedAtMs === undefined) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
}
