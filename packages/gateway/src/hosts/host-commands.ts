/*
 * Commands on a host, through the master of a session. What carries one is a supervised run of this machine: the mux client of the
 * shim, with the same ids, cursors, deadlines and approvals as any other run.
 *
 * HC1 Before a command is sent, its lease is on disk. It goes when the end is confirmed: the host gave an exit code, or a sweep found
 *     nothing more. Whatever else happens, the lease stays and is swept at the next contact.
 *     A session has a lease as well, for what its commands leave behind.
 * HC2 A master has places; who finds none waits, and never gets a connection of its own (session-places.ts).
 * HC3 Additions to the environment are in no command line, neither here nor there.
 */
import { dirname } from 'node:path';
import { type Clock, errnoOf, hasCode, hasErrno, type Log, type Random } from '@clawdfather/kit';
import { shellWord } from '@clawdfather/kit/files';
import {
  type CommandInput,
  planCommand,
  type PlannedCommand,
  type ReportLine,
} from '@clawdfather/ssh';
import type {
  ExitExplanation,
  HostSpawn,
  HostStart,
  ManagedRun,
  PreparedStart,
  RunExit,
  RunId,
  RunRecord,
  Supervisor,
} from '@clawdfather/supervisor';
import { ToolsError } from '@clawdfather/tools';
import { createCrowdWatch } from './crowd-watch.ts';
import type { Losses } from './explain-loss.ts';
import type { HostSessionName, LiveHost } from './host-sessions.ts';
import type { LeaseFiles, LeasePaths } from './lease-files.ts';
import { createLeaseSweeps, isConfirmed, sweepMs } from './lease-sweeps.ts';
import type { Places } from './places.ts';
import { runThrough } from './through-master.ts';

export interface HostCommandsDeps {
  readonly supervisor: Pick<Supervisor, 'get'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly shimPath: string;
  readonly leases: LeaseFiles;
  readonly losses: Pick<Losses, 'explain'>;
  readonly placesOf: (host: LiveHost) => Places;
  /* A session that is not over, whichever gateway looks after it. */
  readonly isOpen: (session: HostSessionName) => Promise<boolean>;
  readonly begun: (host: LiveHost, command: BegunCommand) => void;
  readonly ended: (host: LiveHost, command: EndedCommand) => void;
}

/* For the log, the metrics and the spans. */
export interface BegunCommand {
  readonly runId: string;
  readonly shownAs: string;
}

export interface EndedCommand extends BegunCommand {
  readonly result: 'ok' | 'failed' | 'timeout';
  /* Undefined: the host gave none. */
  readonly code: number | undefined;
  readonly durationMs: number;
  /* Of a command that took too long: what it had. */
  readonly timeoutMs: number | undefined;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export interface HostCommands extends Disposable {
  /* Waits for a place. Throws `host-unreachable`, `params-invalid`. */
  prepare(host: LiveHost, start: HostStart, signal: AbortSignal): Promise<PreparedStart>;
  /* Looks after a command of an earlier gateway that still runs. */
  takeUp(host: LiveHost, run: ManagedRun): void;
  /* Why it was lost, of one of ours: before its end is settled (explain-loss.ts). */
  explain(exit: RunExit): Promise<ExitExplanation | undefined> | undefined;
  /* Ends what is on the list and not carried any more. */
  sweep(host: LiveHost): Promise<void>;
  /* Its commands were told to end: resolves when they have, and what they left is ended. */
  endSession(host: LiveHost): Promise<void>;
}

const usualGraceMs = 5_000;
/* Waiting for a session on a host that has none: for others of ours, which end some time. Its own deadlines hold all the time. */
const retryMsMax = 3_600_000;
/* With none of ours there: for sessions of others through the same master, or for our own that are just ending. */
const retryMsAlone = 3_000;

export function createHostCommands(deps: HostCommandsDeps): HostCommands {
  return new CarriedCommands(deps);
}

/* A class: it knows what is under way. */
class CarriedCommands implements HostCommands {
  readonly #deps: HostCommandsDeps;
  /* Runs from before they are sent until their end is settled; the supervisor does not know all of them yet. */
  readonly #underWay = new Map<string, LiveHost>();
  readonly #followed = new WeakMap<LiveHost, Set<Promise<void>>>();
  readonly #crowds: ReturnType<typeof createCrowdWatch>;
  readonly #sweeps: ReturnType<typeof createLeaseSweeps>;
  /* Before the first command of a session: what they leave is ended with it (T4). */
  readonly #noteSession: (host: LiveHost) => Promise<LeasePaths>;

  constructor(deps: HostCommandsDeps) {
    this.#deps = deps;
    this.#crowds = createCrowdWatch((host, runId) => deps.placesOf(host).refused(runId));
    this.#sweeps = createLeaseSweeps({
      ...deps,
      isCarried: async ({ session }, { kind, id }) => {
        if (kind === 'session') return deps.isOpen({ accountId: session.accountId, id });
        const record = deps.supervisor.get(id as RunId);
        const isLiving = record !== undefined && record.treeEndedAtMs === undefined;
        return isLiving || this.#underWay.has(id);
      },
    });
    this.#noteSession = createOnce(({ connectionId, session: { id } }: LiveHost) =>
      deps.leases.write(connectionId, {
        kind: 'session',
        id,
        leaseId: id,
        graceMs: leftoversGraceMs,
      }),
    );
  }

  async prepare(host: LiveHost, start: HostStart, signal: AbortSignal): Promise<PreparedStart> {
    const { random, leases, placesOf } = this.#deps;
    const { connectionId, session } = host;
    const graceMs = start.graceMs ?? usualGraceMs;
    const leaseId = `${random.id()}${random.id()}`;
    const ids = { leaseId, sessionLeaseId: session.id, nonce: random.id() };
    const plan = planOf(start, { ...ids, graceMs });
    const places = placesOf(host);
    await places.take(start.runId, signal);
    const leave = (): void => {
      this.#underWay.delete(start.runId);
      places.leave(start.runId);
    };
    try {
      this.#underWay.set(start.runId, host);
      const spawn = await this.#send(host, start, { plan, leaseId, graceMs });
      return {
        spawn,
        sessionId: session.id,
        shownAs: shownLine(start.command),
        graceMs: graceMs + sweepMs,
        started: (run) => {
          this.#deps.begun(host, { runId: run.runId, shownAs: shownLine(start.command) });
          this.#follow(host, run, leave);
        },
        notStarted: () => void leases.confirm(connectionId, start.runId).finally(leave),
      };
    } catch (error) {
      await leases.confirm(connectionId, start.runId).finally(leave);
      throw error;
    }
  }

  takeUp(host: LiveHost, run: ManagedRun): void {
    const places = this.#deps.placesOf(host);
    places.occupy(run.runId);
    this.#underWay.set(run.runId, host);
    this.#follow(host, run, () => places.leave(run.runId));
  }

  explain(exit: RunExit): Promise<ExitExplanation | undefined> | undefined {
    const host = this.#underWay.get(exit.runId);
    return host && this.#deps.losses.explain(host, exit);
  }

  sweep(host: LiveHost): Promise<void> {
    return this.#sweeps.sweep(host);
  }

  async endSession(host: LiveHost): Promise<void> {
    await Promise.all(this.#followed.get(host) ?? new Set<Promise<void>>());
    await this.#sweeps.sweepSession(host);
  }

  [Symbol.dispose](): void {
    this.#crowds[Symbol.dispose]();
  }

  /* HC1: from here on its lease is on disk. */
  async #send(
    host: LiveHost,
    start: HostStart,
    { plan, leaseId, graceMs }: Pick<Way, 'plan' | 'graceMs'> & { readonly leaseId: string },
  ): Promise<HostSpawn> {
    const { clock, shimPath, leases, placesOf } = this.#deps;
    const { socketPath } = host.master.place;
    const lease = { kind: 'command', id: start.runId, leaseId, graceMs } as const;
    const paths = await onDisk(async () => {
      await this.#noteSession(host);
      return leases.write(host.connectionId, lease);
    });
    this.#crowds.begin(host, dirname(paths.crowdedPath));
    const retryMs = placesOf(host).count() > 1 ? retryMsMax : retryMsAlone;
    if (plan.stage !== undefined) await stage({ clock, shimPath, socketPath }, plan.stage);
    return spawnOf(start, { ...paths, shimPath, socketPath, plan, graceMs, retryMs });
  }

  async #settle(host: LiveHost, run: ManagedRun): Promise<void> {
    const { leases, placesOf, ended } = this.#deps;
    const { connectionId } = host;
    const exit = await run.wait();
    const lines = await leases.report(connectionId, run.runId);
    // Usually heard long before (crowd-watch.ts).
    if (lines.some(({ kind }) => kind === 'crowded')) placesOf(host).refused(run.runId);
    const sizes = await sizesOf(run);
    const { runId } = run;
    const { command: shownAs, deadlines } = run.snapshot();
    const result = resultOf(exit, lines);
    ended(host, { ...result, ...sizes, runId, shownAs, timeoutMs: limitOf(exit, deadlines) });
    if (isConfirmed(lines)) return leases.confirm(connectionId, run.runId);
    this.#underWay.delete(run.runId);
    await this.#sweeps.sweep(host);
  }

  #follow(host: LiveHost, run: ManagedRun, leave: () => void): void {
    const { runId } = run;
    const settled = this.#settle(host, run)
      .catch((error: unknown) => {
        // Closing lets go of the run; the next gateway takes it up.
        if (!hasCode(error, 'supervisor-closed'))
          this.#deps.log.warn('ssh.exec-unsettled', { component: 'ssh', runId, error });
      })
      .finally(() => {
        this.#underWay.delete(runId);
        leave();
        this.#followed.get(host)?.delete(settled);
      });
    const others = this.#followed.get(host) ?? new Set();
    this.#followed.set(host, others.add(settled));
  }
}

/* HC1: what cannot be noted is not sent. */
async function onDisk<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!hasErrno(error, 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO')) throw error;
    throw new ToolsError('storage-full', 'the disk of the gateway’s machine takes nothing more', {
      detail: { errno: errnoOf(error) },
      hint: 'Nothing was sent to the host. Free some space there, and try again.',
      cause: error,
    });
  }
}

/* Less than the master waits for its commands to end. */
const leftoversGraceMs = 3_000;

/* Once for each host; again after a failure. */
function createOnce<Result>(
  work: (host: LiveHost) => Promise<Result>,
): (host: LiveHost) => Promise<Result> {
  const begun = new WeakMap<LiveHost, Promise<Result>>();
  return (host) => {
    const once = begun.get(host) ?? work(host);
    begun.set(host, once);
    once.catch(() => begun.delete(host));
    return once;
  };
}

function resultOf(
  exit: RunExit,
  lines: readonly ReportLine[],
): Pick<EndedCommand, 'result' | 'code' | 'durationMs'> {
  const isLate = exit.reason === 'overall-timeout' || exit.reason === 'no-output-timeout';
  const hasCode = lines.some(({ kind }) => kind === 'exit');
  const { code, durationMs = 0 } = exit;
  if (isLate) return { result: 'timeout', code: undefined, durationMs };
  return {
    result: hasCode && code === 0 ? 'ok' : 'failed',
    code: hasCode ? code : undefined,
    durationMs,
  };
}

function limitOf(
  { reason }: RunExit,
  { overallMs, noOutputMs }: RunRecord['deadlines'],
): number | undefined {
  if (reason === 'overall-timeout') return overallMs;
  return reason === 'no-output-timeout' ? noOutputMs : undefined;
}

async function sizesOf(
  run: ManagedRun,
): Promise<Pick<EndedCommand, 'stdoutBytes' | 'stderrBytes'>> {
  const bytes = { stdout: 0, stderr: 0 };
  for await (const event of run.outputLent()) {
    if (event.kind === 'output') bytes[event.stream] += event.bytes.length;
  }
  return { stdoutBytes: bytes.stdout, stderrBytes: bytes.stderr };
}

function planOf(
  { command, cwd, envAdditions, terminal }: HostStart,
  ids: Pick<CommandInput, 'leaseId' | 'sessionLeaseId' | 'nonce' | 'graceMs'>,
): PlannedCommand {
  try {
    return planCommand({
      ...ids,
      command: programOf(command),
      directory: cwd === homeOnHost ? undefined : cwd,
      environment: envAdditions,
      isTerminal: terminal !== undefined,
    });
  } catch (error) {
    if (!hasCode(error, 'command-unquotable', 'command-too-long')) throw error;
    throw new ToolsError('params-invalid', error.message, { detail: error.detail, cause: error });
  }
}

/* As a run of this machine is shown: words with blanks are quoted. */
function shownLine(command: HostStart['command']): string {
  return command.kind === 'line' ? command.line : command.argv.map(shellWord).join(' ');
}

/* A line is for the shell of the login, unless the caller named one. */
function programOf(command: HostStart['command']): Parameters<typeof planCommand>[0]['command'] {
  if (command.kind === 'argv') return { argv: command.argv };
  const { shell, line } = command;
  return shell === usualShell ? { line } : { argv: [shell, '-c', line] };
}

/* What a call without a shell has. */
const usualShell = '/bin/sh';

/* Where a login lands; a relative directory is below it. */
export const homeOnHost = '.';

async function stage(
  through: Parameters<typeof runThrough>[0],
  { execString, stdinPayload }: NonNullable<PlannedCommand['stage']>,
): Promise<void> {
  const answer = await runThrough(through, { execString, stdin: stdinPayload, limitMs: 30_000 });
  if (answer?.code === 0) return;
  throw new ToolsError('host-unreachable', 'the environment could not be put onto the host', {
    hint: 'Nothing was started. Its directory for temporary files may be full or not writable.',
  });
}

interface Way extends LeasePaths {
  readonly shimPath: string;
  readonly socketPath: string;
  readonly retryMs: number;
  readonly plan: PlannedCommand;
  readonly graceMs: number;
}

/* HC3: everything is in the environment of the client, which other users cannot read. */
function spawnOf({ terminal }: HostStart, way: Way): HostSpawn {
  const { execString, stdinPayload, nonce, sweepString } = way.plan;
  const env = {
    CLAWDFATHER_MUX_COMMAND: execString,
    ...(stdinPayload === undefined ? {} : { CLAWDFATHER_MUX_STDIN: stdinPayload }),
    ...(nonce === undefined ? {} : { CLAWDFATHER_MUX_NONCE: nonce }),
    CLAWDFATHER_MUX_SWEEP: sweepString,
    CLAWDFATHER_MUX_SWEEP_MS: String(way.graceMs + sweepMs - 1_000),
    CLAWDFATHER_MUX_REPORT: way.reportPath,
    CLAWDFATHER_MUX_CROWDED: way.crowdedPath,
    CLAWDFATHER_MUX_RETRY_MS: String(way.retryMs),
    ...(terminal === undefined ? {} : { TERM: 'xterm-256color' }),
  };
  const argv = [way.shimPath, 'mux', way.socketPath] as const;
  return { mode: terminal === undefined ? 'child' : 'pty-argv', argv, cwd: '/', env };
}
