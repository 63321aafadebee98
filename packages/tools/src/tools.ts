/*
 * The two tools over one supervisor: what an MCP server, a gateway, a script and the command line all call.
 *
 * Opening them takes up what an earlier process left: runs that were adopted are answered for, runs that are held start
 * when they are allowed. Closing them releases everything and ends no run; calls that wait fail with `tools-closed`.
 */
import { accessSync, constants } from 'node:fs';
import type { ExecParams, ExecResult, ProcessParams, ProcessResult } from '@clawdfather/protocol';
import { liveRunStates } from '@clawdfather/supervisor';
import { execBackend } from '@clawdfather/supervisor/origins';
import type { ApprovalSummary } from './approvals/gatekeeper.ts';
import type { Starting, ToolCall, ToolsContext, ToolsDeps } from './context.ts';
import { ToolsError } from './errors.ts';
import { startOf } from './exec/begin-start.ts';
import { startHeld, watchAllHeld } from './exec/held-runs.ts';
import { createHosts } from './host/hosts.ts';
import { createLocalHost } from './host/local-host.ts';
import { type EndedSession, endSession } from './process/end-session.ts';
import { filterOf, findRun, idOf } from './process/find-run.ts';
import { createReaders } from './process/readers.ts';
import { createReadingProbe } from './process/reading-probe.ts';
import { createTakeOver, isOwnedBy } from './process/take-over.ts';
import { createTerminals } from './process/terminals.ts';
import { type RunEnd, waitForEnd } from './process/wait-for-end.ts';
import { createRunActions, dispatch, type RunActions } from './run-actions.ts';
import { parseExecParams, parseProcessParams } from './parse-params.ts';

export interface Tools {
  /* One function per action, for callers whose parameters have been parsed. Each throws `ToolsError`. */
  readonly actions: RunActions;
  /* Parses, then acts. Throws `ToolsError` for a call that makes no sense; whatever becomes of the command is in the result. */
  exec(params: ExecParams, call: ToolCall): Promise<ExecResult>;
  process(params: ProcessParams, call: ToolCall): Promise<ProcessResult>;
  /* The whole id of the run that the caller means by a beginning of it. Throws `unknown-run`, `run-ambiguous`. */
  findId(idOrPrefix: string, call: ToolCall): string;
  /* Whose a run is that has been asked for here and is not recorded yet, or never; undefined for any other. */
  startingFor(runId: string): Pick<Starting, 'account' | 'requester'> | undefined;
  /* Resolves when a run of the caller's has ended, or will never start. Throws `unknown-run`, `run-ambiguous`. */
  waitForEnd(runId: string, call: ToolCall): Promise<RunEnd>;
  /* Runs of an account that go on and that this process looks after: right after the opening, those taken over. */
  looksAfter(account: string): readonly string[];
  /* Starts a held run that was allowed, once, also when other processes try. Throws `approval-unusable`, `approval-changed`. */
  startHeld(approval: Pick<ApprovalSummary, 'approvalId' | 'runId'>): Promise<void>;
  /* Ends processes that finished commands of this session have left behind; running commands go on. */
  endSession(session: EndedSession): Promise<void>;
  close(): Promise<void>;
}

export function createTools(deps: ToolsDeps): Tools {
  const closing = new AbortController();
  const context = contextOf(deps, closing.signal);
  if (deps.takesUp !== false) takeUp(context);
  const whileOpen = (): void => {
    if (closing.signal.aborted) throw new ToolsError('tools-closed', 'the tools are closed');
  };
  const actions = createRunActions(context, whileOpen);
  return {
    actions,
    exec: async (params, call) => actions.exec(parseExecParams(params), call),
    process: async (params, call) => dispatch(actions, parseProcessParams(params), call),
    findId: (idOrPrefix, call) => {
      whileOpen();
      return idOf(findRun(context, idOrPrefix, call));
    },
    startingFor: (runId) => startOf(context, runId),
    waitForEnd: async (runId, call) => {
      whileOpen();
      return waitForEnd(context, runId, call);
    },
    looksAfter: (account) =>
      context.supervisor
        .list({ ...filterOf({ account }), states: liveRunStates })
        .filter((record) => isOwnedBy(record, context.supervisor))
        .map(({ runId }) => runId),
    startHeld: async (approval) => {
      whileOpen();
      await startHeld(context, approval);
    },
    endSession: (session) => endSession(context, session),
    close: async () => {
      closing.abort(new ToolsError('tools-closed', 'the tools are closed'));
      await Promise.all([...context.starting.values()].map(({ done }) => done));
      await context.terminals.close();
      await context.takeOver.close();
    },
  };
}

function contextOf(deps: ToolsDeps, signal: AbortSignal): ToolsContext {
  const { supervisor, gatekeeper, clock, random, log, baseEnvironment, users } = deps;
  const homeDirectory = deps.homeDirectory ?? baseEnvironment['HOME'] ?? '/';
  const local = createLocalHost({ clock, baseEnvironment, homeDirectory, users });
  return {
    supervisor,
    gatekeeper,
    clock,
    random,
    log,
    hosts: createHosts(local, deps.remoteHosts),
    openFiles: deps.openFiles,
    shield: deps.shield,
    toolServers: deps.toolServers,
    originLabels: deps.originLabels,
    shieldsCommands: deps.shieldsCommands ?? false,
    room: deps.room,
    heldIn: deps.heldIn,
    canOpenTerminal: deps.canOpenTerminal ?? canOpenTerminal,
    readingProbe: deps.readingProbe ?? createReadingProbe(clock),
    starting: new Map(),
    failedStarts: new Map(),
    watchedApprovals: new Set(),
    readers: createReaders(),
    terminals: createTerminals({ supervisor, clock, log, signal }),
    takeOver: createTakeOver({ supervisor, clock, log, isStaying: deps.takesUp !== false }),
    signal,
  };
}

function takeUp(context: ToolsContext): void {
  const { supervisor, terminals } = context;
  for (const record of supervisor.list({ backendId: execBackend, states: liveRunStates }))
    terminals.watchIfOurs(record);
  watchAllHeld(context);
}

function canOpenTerminal(): boolean {
  try {
    accessSync('/dev/ptmx', constants.R_OK | constants.W_OK);
    return true;
  } catch {
    /* Not there, or not ours to open: commands run on pipes and say so. */
    return false;
  }
}
