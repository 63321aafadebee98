/*
 * From what a caller asked for to a request that can be started: checked, complete, nothing started yet.
 *
 * Stages: parameters → host → as whom → environment additions → working directory → the host's plan.
 */
import { isAbsolute, join } from 'node:path';
import { orAborted } from '@clawdfather/kit';
import { execLimits, type ExecParams } from '@clawdfather/protocol';
import type { FoundDirectory, HostPort, HostUser } from '@clawdfather/supervisor';
import { localHost } from '@clawdfather/supervisor/origins';
import type { ToolCall, ToolsContext } from '../context.ts';
import { checkEnvAdditions } from '../environment/check-additions.ts';
import { ToolsError } from '../errors.ts';
import type { ProposedAction } from '../approvals/gatekeeper.ts';
import type { SeenFiles } from '../approvals/seen-files.ts';
import { seenByRequest } from '../shield/seen-by-request.ts';
import type { StoredRequest } from './stored-request.ts';

export interface ExecPlan {
  readonly request: StoredRequest;
  readonly host: HostPort;
  /* As whom it runs; undefined: as we do. */
  readonly user: HostUser | undefined;
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
  if (host.id !== localHost) refuseExtras(call.extras);
  // A session's directory is one of this machine.
  const own = host.id === localHost ? (call.directory ?? user?.home) : undefined;
  const named = directoryOf(params.workdir, own ?? host.homeDirectory);
  const tree = treeOf({ call, host, user });
  const cwd = await findDirectory(context, named, { host, user, tree, patience });
  const action: ProposedAction = {
    command: commandOf(params),
    cwd,
    envAdditions,
    ...(params.stdin === undefined || params.stdin === '' ? {} : { stdin: params.stdin }),
    host: host.id,
    ...(host.name === undefined ? {} : { hostName: host.name }),
    account,
    ...(user === undefined ? {} : { runAs: user.name }),
  };
  const planned = { call, host, user, action, patience };
  return { host, user, request: await requestOf(context, params, planned) };
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
    const env = { ...call.sessionEnvironment, ...envAdditions };
    const asked = { runId, command, cwd, envAdditions: env, terminal, user };
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
    ...(call.hostSession === undefined ? {} : { hostSession: call.hostSession }),
    requester: call.requester,
    ...labelsOf(context, call),
    ...(call.extras === undefined ? {} : { extras: call.extras }),
    ...(call.nameOwner === undefined ? {} : { nameOwner: call.nameOwner }),
    ...shieldOf(context, planned),
    ...deadlinesOf(params, host),
    leftovers: params.leftovers ?? 'keep',
    ...(params.stdin === undefined ? {} : { stdin: params.stdin }),
    isEof: params.eof ?? false,
  };
}

function labelsOf(
  { originLabels }: ToolsContext,
  { labels }: ToolCall,
): Pick<StoredRequest, 'labels'> {
  if (labels === undefined && originLabels === undefined) return {};
  return { labels: { ...labels, ...originLabels } };
}

/*
 * The tree is one that a person chose, as for what the starter list reads: the directory of a command is the agent's choice. A
 * person who asks for a shield chooses it with the command.
 */
function shieldOf(
  { shieldsCommands }: ToolsContext,
  { call, host, user, action }: Planned,
): Pick<StoredRequest, 'shielded'> {
  // What runs on another machine reaches nothing of this one.
  if (host.id !== localHost) return {};
  const isAsked = call.extras?.shield === true || call.extras?.tools === true;
  const letIn = call.letIn === undefined ? {} : { letIn: call.letIn };
  if (!shieldsCommands) return isAsked ? { shielded: { tree: action.cwd, ...letIn } } : {};
  const tree = treeOf({ call, host, user });
  return { shielded: tree === undefined ? letIn : { tree, ...letIn } };
}

function treeOf({ call, host, user }: Target & Pick<Planned, 'call'>): string | undefined {
  return call.directory ?? (user === undefined ? host.homeDirectory : undefined);
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

/* They are about processes of this machine, and there only a client of ssh would have them. */
function refuseExtras({ shield, tools, nice, limits = {} }: NonNullable<ToolCall['extras']> = {}) {
  const asked = [
    ...(shield === true ? ['shield'] : []),
    ...(tools === true ? ['tools'] : []),
    ...(nice === undefined ? [] : ['nice']),
    ...(Object.values(limits).every((limit) => limit === undefined) ? [] : ['limits']),
  ];
  if (asked.length === 0) return;
  throw new ToolsError('params-invalid', `not on another machine: ${asked.join(', ')}`, {
    detail: { asked },
    hint: 'Leave it out; nothing was started.',
  });
}

function directoryOf(asked: string | undefined, base: string): string {
  if (asked === undefined) return base;
  return isAbsolute(asked) ? asked : join(base, asked);
}

interface Wanted extends Target {
  /* Of the session; it is there inside of a shield. */
  readonly tree: string | undefined;
  readonly patience: AbortSignal;
}

async function findDirectory(
  context: ToolsContext,
  path: string,
  { host, user, tree, patience }: Wanted,
): Promise<string> {
  if (path.includes('\0')) throw unusableDirectory(path, 'its name holds a NUL character');
  // Our own check says nothing about another user, who must not learn from us which files exist. The start enters it as that user.
  if (user !== undefined) return path;
  const { shield, shieldsCommands } = context;
  const isShielded = shieldsCommands && host.id === localHost && path !== tree;
  const seen = isShielded ? await seenByRequest(shield, { shielded: { tree } }) : undefined;
  const finding =
    seen === undefined
      ? host.findDirectory(path, patience)
      : findSeenDirectory({ host, seen, patience }, path);
  const found = await finding.catch((error: unknown) => {
    if (!patience.aborted) throw error;
    return { kind: 'found', path } as const;
  });
  if (found.kind === 'unusable') throw unusableDirectory(path, found.why);
  return found.path;
}

interface Look {
  readonly host: HostPort;
  readonly seen: SeenFiles;
  readonly patience: AbortSignal;
}

/* Under the name that it has inside, which is what the start enters. */
async function findSeenDirectory(
  { host, seen, patience }: Look,
  path: string,
): Promise<FoundDirectory> {
  const found = await orAborted(seen.find(path), patience);
  if (found.kind === 'none') return { kind: 'unusable', why: 'it does not exist' };
  if (found.kind === 'unsure') return { kind: 'unusable', why: found.why };
  const { inside, outside } = found;
  const place = await host.findDirectory(outside, patience);
  return place.kind === 'found' ? { kind: 'found', path: inside } : place;
}

export function unusableDirectory(path: string, why: string): ToolsError {
  return new ToolsError('workdir-unusable', `cannot work in ${JSON.stringify(path)}: ${why}`, {
    detail: { path },
    hint: 'Name a directory that exists; nothing was started.',
  });
}
