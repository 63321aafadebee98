/*
 * Starts what a request describes, and gives it its input. As whom is asked again here, the one place that all starts pass: a
 * request may have waited for an approval, in a process that knew another rule.
 *
 * The same request twice is one run, because its id is in it (S1): a held run that two processes try to start, or one
 * whose starter died in between, starts once. A run whose terminal cannot be had runs on pipes and says so; since an id is
 * never used twice, a terminal that is refused only at the start gets a new one.
 */
import { isDeepStrictEqual } from 'node:util';
import { hasCode } from '@clawdfather/kit';
import type {
  HostPort,
  HostStart,
  HostUser,
  ManagedRun,
  PreparedStart,
  RunId,
  SpawnInput,
} from '@clawdfather/supervisor';
import {
  accountLabel,
  allowedByLabel,
  directoryOnHost,
  execBackend,
  hostDirectoryLabel,
  hostLabel,
  hostNameLabel,
  journalMaxLabel,
  nameLabel,
  nameScope,
  requesterLabel,
  runAsLabel,
  terminalLabel,
} from '@clawdfather/supervisor/origins';
import type { ToolsContext } from '../context.ts';
import type { Binding } from '../approvals/binding.ts';
import { ToolsError } from '../errors.ts';
import { idsOf } from '../host/local-host.ts';
import type { RunBounds } from './account-room.ts';
import { confinedLabel, noTerminal, type RunFacts } from './finished.ts';
import { nameTaken } from './name-taken.ts';
import { unusableDirectory } from './plan-exec.ts';
import type { StoredRequest } from './stored-request.ts';
import { surround } from './surround.ts';

/* More is typed without a promise to arrive after a crash: the outbox takes 16 MiB for all of a run's input. */
const durableBytesMax = 8 * 1024 * 1024;

export type Started =
  | { readonly kind: 'started'; readonly run: ManagedRun; readonly facts: RunFacts }
  /* Its record says why. */
  | { readonly kind: 'never-started'; readonly runId: string };

export interface StartOptions {
  /* A caller was given this id, so there is no second attempt under another one. */
  readonly isIdPromised?: boolean;
  /* The last thing before the start; a rejection keeps it from starting. */
  readonly confirm?: () => Promise<void>;
  /* Until it is on its way. Default that of the tools. */
  readonly signal?: AbortSignal | undefined;
  /* The directory that was approved. The child looks at the one that it has entered. */
  readonly directory?: Binding['directory'] | undefined;
}

export async function startRun(
  context: ToolsContext,
  request: StoredRequest,
  { isIdPromised = false, confirm, directory, signal = context.signal }: StartOptions,
): Promise<Started> {
  const { host, user } = await checkUser(context, request);
  const prepare = host.prepare?.bind(host);
  if (prepare !== undefined) {
    await confirm?.();
    return startOnHost(context, request, (asked) => prepare(asked, signal));
  }
  const around = await surround(context, request, user);
  await confirm?.();
  const wantsTerminal = request.spawn.mode !== 'child';
  if (!wantsTerminal || context.canOpenTerminal()) {
    const input = { ...inputOf(context, request), ...placeOf(directory) };
    const started = await spawn(context, request, await around(input));
    if (!wantsTerminal || isIdPromised || !isTerminalRefused(context, started)) return started;
    context.log.warn('exec.terminal-refused', { runId: request.runId });
    await context.supervisor.remove(request.runId as RunId);
    const again = { ...onPipes(context, request), runId: context.random.id() };
    return spawn(context, request, await around(again));
  }
  const input = { ...onPipes(context, request), ...placeOf(directory) };
  return spawn(context, request, await around(input));
}

/* What was decided on is in the action; the way to the host is made now. */
async function startOnHost(
  context: ToolsContext,
  request: StoredRequest,
  prepare: (start: HostStart) => Promise<PreparedStart>,
): Promise<Started> {
  const { runId, action, size, extras, requester, hostSession } = request;
  const { command, cwd, envAdditions, account } = action;
  const terminal = request.spawn.mode === 'child' ? undefined : size;
  const graceMs = extras?.graceMs;
  const wanted = { runId, command, cwd, envAdditions, terminal, user: undefined };
  const asked = { ...wanted, account, requester, sessionId: hostSession, graceMs };
  const prepared = await prepare(asked);
  const { sessionId, shownAs } = prepared;
  const spawnOf = { ...request, spawn: prepared.spawn as StoredRequest['spawn'] };
  const input = {
    ...inputOf(context, spawnOf),
    sessionId,
    shownAs,
    graceMs: prepared.graceMs,
  };
  const started = await spawn(context, request, input).catch((error: unknown) => {
    prepared.notStarted();
    throw error;
  });
  if (started.kind === 'started') prepared.started(started.run);
  else prepared.notStarted();
  return started;
}

function placeOf(directory: StartOptions['directory']): Pick<SpawnInput, 'cwdId'> {
  if (directory === undefined) return {};
  return { cwdId: { device: BigInt(directory.device), inode: BigInt(directory.inode) } };
}

/* Throws `account-not-local`, or `approval-unusable` where the account has another user by now than was approved. */
async function checkUser(
  { hosts, signal }: ToolsContext,
  request: StoredRequest,
): Promise<{ readonly host: HostPort; readonly user: HostUser | undefined }> {
  const { action, spawn: plan, withoutTerminal, runId } = request;
  const host = await hosts.find(action.account, action.host, signal);
  const user = await host.userOf(action.account);
  const ids = user && idsOf(user);
  const isSame =
    action.runAs === user?.name &&
    isDeepStrictEqual(plan.runAs, ids) &&
    (withoutTerminal === undefined || isDeepStrictEqual(withoutTerminal.runAs, ids));
  if (isSame) return { host, user };
  throw new ToolsError(
    'approval-unusable',
    'it was asked for as another Unix user than the account has now',
    { detail: { runId, account: action.account }, hint: 'Ask for the command again.' },
  );
}

function isTerminalRefused({ supervisor }: ToolsContext, started: Started): boolean {
  if (started.kind === 'started') return false;
  return supervisor.get(started.runId as RunId)?.exit?.failure?.stage === 'pty';
}

async function spawn(
  context: ToolsContext,
  request: StoredRequest,
  input: SpawnInput,
): Promise<Started> {
  try {
    const run = await context.supervisor.spawn(input);
    if (input.mode !== 'child') context.terminals.watch(run);
    feed(context, run, request);
    return { kind: 'started', run, facts: factsOf(run, input) };
  } catch (error) {
    return neverStarted(error, input);
  }
}

function factsOf({ runId }: ManagedRun, input: SpawnInput): RunFacts {
  const { cwd, labels = {}, leftovers = 'keep' } = input;
  const deadlines = { overallMs: input.overallTimeoutMs, noOutputMs: input.noOutputTimeoutMs };
  return { runId, cwd, labels, leftovers, deadlines };
}

/* A failure with a record is a result; the rest is for the caller to mend, or not the command's fault. */
function neverStarted(error: unknown, input: SpawnInput): Started {
  const { runId = '', cwd, labels = {} } = input;
  if (hasCode(error, 'spawn-failed') && error.detail['stage'] === 'cwd') {
    const hidden = input.shield === undefined ? '' : ', or is hidden by the shield';
    const why = `it went away, is another one by now, cannot be entered${hidden}`;
    throw unusableDirectory(cwd, why);
  }
  if (hasCode(error, 'input-invalid')) {
    throw new ToolsError('params-invalid', error.message, { detail: error.detail, cause: error });
  }
  if (hasCode(error, 'scope-busy')) throw nameTaken(labels[nameLabel] ?? '', error);
  if (hasCode(error, 'spawn-failed', 'start-timeout', 'spawn-cancelled')) {
    return { kind: 'never-started', runId };
  }
  throw error;
}

function inputOf({ openFiles, room }: ToolsContext, request: StoredRequest): SpawnInput {
  const { action, requester, size } = request;
  const name = request.extras?.name;
  const bounded = boundedOf(room?.boundsOf(action.account), request);
  const { runAs, ...plan } = request.spawn;
  const common = {
    runId: request.runId,
    sessionId: request.sessionId,
    backendId: execBackend,
    ...extrasOf(request, openFiles),
    ...bounded,
    labels: {
      ...request.extras?.labels,
      ...(name === undefined ? {} : { [nameLabel]: name }),
      ...request.labels,
      [accountLabel]: action.account,
      [requesterLabel]: requester,
      [hostLabel]: action.host,
      ...hostLabelsOf(action),
      ...(bounded.journal === undefined
        ? {}
        : { [journalMaxLabel]: String(bounded.journal.bytesMax) }),
      ...(request.confine === undefined ? {} : confinedLabel),
      ...(request.allowedBy === undefined ? {} : { [allowedByLabel]: request.allowedBy }),
      ...(action.runAs === undefined ? {} : { [runAsLabel]: action.runAs }),
    },
    overallTimeoutMs: request.overallTimeoutMs,
    ...(request.noOutputTimeoutMs === undefined
      ? {}
      : { noOutputTimeoutMs: request.noOutputTimeoutMs }),
    leftovers: request.leftovers,
    ...(runAs === undefined ? {} : { runAs }),
    ...(request.confine === undefined ? {} : { confine: request.confine }),
  };
  if (plan.mode !== 'child') return { ...plan, ...common, ...size };
  const isClosed = request.isEof && (request.stdin ?? '') === '';
  return { ...plan, ...common, stdin: isClosed ? 'closed' : 'open' };
}

function hostLabelsOf({ hostName, cwd }: StoredRequest['action']): Record<string, string> {
  if (hostName === undefined) return {};
  return { [hostNameLabel]: hostName, [hostDirectoryLabel]: directoryOnHost(cwd) };
}

/* The scope gives a name to one living run of an account, also when two processes start one at once. */
function extrasOf(
  { extras = {}, action, nameOwner = action.account }: StoredRequest,
  openFiles: ToolsContext['openFiles'],
): Pick<SpawnInput, 'scopeKey' | 'graceMs' | 'nice' | 'limits' | 'journal'> {
  const { name, graceMs, nice, limits, journalBytesMax } = extras;
  const bounds = definedOf({ openFiles, ...definedOf(limits ?? {}) });
  return {
    ...(name === undefined ? {} : { scopeKey: nameScope(nameOwner, name) }),
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(nice === undefined ? {} : { nice }),
    ...(Object.keys(bounds).length === 0 ? {} : { limits: bounds }),
    ...(journalBytesMax === undefined
      ? {}
      : { journal: { mode: 'ring', bytesMax: journalBytesMax } }),
  };
}

/* What its account is bounded to, whatever was asked for; `account-room.ts` has refused what does not fit. */
function boundedOf(
  bounds: RunBounds | undefined,
  { action, extras }: StoredRequest,
): Pick<SpawnInput, 'journal' | 'outputRate' | 'nice'> {
  const { output, nice } = bounds ?? {};
  return {
    ...(output === undefined
      ? {}
      : {
          journal: { mode: 'ring', bytesMax: extras?.journalBytesMax ?? output.usualBytesMax },
          outputRate: { key: action.account, ...output.rate },
        }),
    ...(nice === undefined ? {} : { nice: Math.max(nice, extras?.nice ?? 0) }),
  };
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/* Without the fields that are undefined: absent is "as it is", and undefined would be asked for. */
function definedOf<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}

/* The label tells later readers too, in whatever process they are. */
function onPipes(context: ToolsContext, request: StoredRequest): SpawnInput {
  const { withoutTerminal } = request;
  if (withoutTerminal === undefined) return inputOf(context, request);
  const input = inputOf(context, { ...request, spawn: withoutTerminal });
  return { ...input, labels: { ...input.labels, [terminalLabel]: noTerminal } };
}

/*
 * Input goes its own way: a program that does not read must not make the caller wait. A program that ends or closes its
 * input without reading all is no failure of the command.
 */
function feed({ log }: ToolsContext, run: ManagedRun, request: StoredRequest): void {
  const { stdin = '', isEof } = request;
  if (stdin === '' && (!isEof || request.spawn.mode === 'child')) return;
  const give = async (): Promise<void> => {
    const bytes = Buffer.from(stdin);
    // At an offset, because the same start may be tried twice.
    const isDurable = bytes.length <= durableBytesMax;
    if (bytes.length > 0) await run.write(bytes, isDurable ? { offset: 0 } : {});
    if (isEof) await run.end();
  };
  give().catch((error: unknown) => {
    const isExpected = hasCode(error, 'stdin-closed', 'not-running', 'supervisor-closed');
    if (!isExpected) log.warn('exec.input-failed', { runId: run.runId, error });
  });
}
