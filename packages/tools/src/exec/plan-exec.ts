/*
 * From what a caller asked for to a request that can be started: checked, complete, nothing started yet.
 *
 * Stages: parameters → host → as whom → environment additions → working directory → the host's plan.
 */
import { isAbsolute, join } from 'node:path';
import { execLimits, type ExecParams } from '@clawdfather/protocol';
import type { HostPort, HostUser } from '@clawdfather/supervisor';
import { localHost } from '@clawdfather/supervisor/origins';
import type { ToolCall, ToolsContext } from '../context.ts';
import { checkEnvAdditions } from '../environment/check-additions.ts';
import { ToolsError } from '../errors.ts';
import type { ProposedAction } from '../approvals/gatekeeper.ts';
import type { StoredRequest } from './stored-request.ts';

export interface ExecPlan {
  readonly request: StoredRequest;
  readonly host: HostPort;
}

/*
 * `patience` bounds what may hang: a directory on a dead mount. What could not be looked at in time is left to the start,
 * which enters the directory anyway and has a limit of its own.
 */
export async function planExec(
  context: ToolsContext,
  params: ExecParams,
  { call, patience }: { readonly call: ToolCall; readonly patience: AbortSignal },
): Promise<ExecPlan> {
  const { account } = call;
  const host = await context.hosts.find(account, params.host ?? call.host ?? localHost, patience);
  const user = await host.userOf(account);
  const envAdditions = params.env ?? {};
  refuseEnvironment(envAdditions);
  const named = directoryOf(params.workdir, call.directory ?? user?.home ?? host.homeDirectory);
  const cwd = await findDirectory({ host, user }, named, patience);
  const action: ProposedAction = {
    command: commandOf(params),
    cwd,
    envAdditions,
    ...(params.stdin === undefined || params.stdin === '' ? {} : { stdin: params.stdin }),
    host: host.id,
    account,
    ...(user === undefined ? {} : { runAs: user.name }),
  };
  const planned = { call, host, user, action, patience };
  return { host, request: await requestOf(context, params, planned) };
}

interface Target {
  readonly host: HostPort;
  readonly user: HostUser | undefined;
}

interface Planned extends Target {
  readonly call: ToolCall;
  readonly action: ProposedAction;
  readonly patience: AbortSignal;
}

async function requestOf(
  context: ToolsContext,
  params: ExecParams,
  planned: Planned,
): Promise<StoredRequest> {
  const { call, host, user, action, patience } = planned;
  const runId = call.runId ?? context.random.id();
  const { command, cwd, envAdditions } = action;
  const { cols, rows } = execLimits.terminal;
  const size = { cols: params.cols ?? cols, rows: params.rows ?? rows };
  const plan = async (terminal: typeof size | undefined): Promise<StoredRequest['spawn']> => {
    const asked = { runId, command, cwd, envAdditions, terminal, user };
    return (await host.plan(asked, patience)) as StoredRequest['spawn'];
  };
  const withoutTerminal = params.pty === true ? await plan(undefined) : undefined;
  return {
    version: 1,
    runId,
    action: action as StoredRequest['action'],
    spawn: await plan(params.pty === true ? size : undefined),
    ...(withoutTerminal?.mode === 'child' ? { withoutTerminal } : {}),
    size,
    sessionId: call.sessionId,
    requester: call.requester,
    ...(call.labels === undefined ? {} : { labels: call.labels }),
    ...(call.extras === undefined ? {} : { extras: call.extras }),
    ...(call.nameOwner === undefined ? {} : { nameOwner: call.nameOwner }),
    ...shieldOf(context, planned),
    ...deadlinesOf(params, host),
    leftovers: params.leftovers ?? 'keep',
    ...(params.stdin === undefined ? {} : { stdin: params.stdin }),
    isEof: params.eof ?? false,
  };
}

/* The tree is one that a person chose, as for what the starter list reads: the directory of a command is the agent's choice. */
function shieldOf(
  { shieldsCommands }: ToolsContext,
  { call, host, user }: Planned,
): Pick<StoredRequest, 'shielded'> {
  if (!shieldsCommands && call.extras?.shield !== true) return {};
  const tree = call.directory ?? (user === undefined ? host.homeDirectory : undefined);
  return { shielded: tree === undefined ? {} : { tree } };
}

function deadlinesOf(
  params: ExecParams,
  host: HostPort,
): Pick<StoredRequest, 'overallTimeoutMs' | 'noOutputTimeoutMs'> {
  const overall = params.timeoutSeconds ?? usualTimeoutSeconds(params, host);
  const silence = params.noOutputTimeoutSeconds;
  return {
    ...(overall === 0 ? {} : { overallTimeoutMs: milliseconds(overall) }),
    ...(silence === undefined ? {} : { noOutputTimeoutMs: milliseconds(silence) }),
  };
}

/* What is asked to stay in the background is a server or a watcher as often as not, and nobody looks after its clock. */
function usualTimeoutSeconds({ background }: ExecParams, host: HostPort): number {
  return background === true ? 0 : host.usualTimeoutSeconds;
}

/* Never down to 0, which would be none. */
function milliseconds(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1_000));
}

function commandOf({ command, argv, shell }: ExecParams): ProposedAction['command'] {
  if (command !== undefined) return { kind: 'line', shell: shell ?? '/bin/sh', line: command };
  const [program = '', ...rest] = argv ?? [];
  return { kind: 'argv', argv: [program, ...rest] };
}

function refuseEnvironment(additions: Readonly<Record<string, string>>): void {
  const refusals = checkEnvAdditions(additions);
  if (refusals.length === 0) return;
  const reasons = refusals.map(({ name, why }) => `${JSON.stringify(name)} ${why}`);
  throw new ToolsError('env-refused', `refused in env: ${reasons.join('; ')}`, {
    detail: { names: refusals.map(({ name }) => name) },
    hint: 'Leave it out, or set it in the shell line, where whoever approves it sees it.',
  });
}

function directoryOf(asked: string | undefined, base: string): string {
  if (asked === undefined) return base;
  return isAbsolute(asked) ? asked : join(base, asked);
}

async function findDirectory(
  { host, user }: Target,
  path: string,
  patience: AbortSignal,
): Promise<string> {
  if (path.includes('\0')) throw unusableDirectory(path, 'its name holds a NUL character');
  // Our own check says nothing about another user, who must not learn from us which files exist. The start enters it as that user.
  if (user !== undefined) return path;
  const found = await host.findDirectory(path, patience).catch((error: unknown) => {
    if (!patience.aborted) throw error;
    return { kind: 'found', path } as const;
  });
  if (found.kind === 'unusable') throw unusableDirectory(path, found.why);
  return found.path;
}

export function unusableDirectory(path: string, why: string): ToolsError {
  return new ToolsError('workdir-unusable', `cannot work in ${JSON.stringify(path)}: ${why}`, {
    detail: { path },
    hint: 'Name a directory that exists; nothing was started.',
  });
}
