/*
 * A run as a gateway tells of it, in the words that commands have for a run of this machine.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { SdkError } from '@clawdfather/sdk';
import type { Cursor, ProcessNote, RunExit, RunId, TreeEnd } from '@clawdfather/supervisor';
import { hostDirectoryLabel, hostNameLabel, localHost } from '@clawdfather/supervisor/origins';
import type { Run, RunDetails } from '../place.ts';

export type RunAnswer = AnswerOf<Api['runs']['get']>;
export type ExitAnswer = NonNullable<RunAnswer['exit']>;

export function runOf(answer: RunAnswer): Run {
  const runId = parseRunId(answer.runId);
  return {
    runId,
    state: answer.state,
    sessionId: answer.sessionId,
    backendId: answer.backendId,
    labels: labelsOf(answer),
    mode: answer.mode,
    command: answer.command,
    cwd: answer.cwd,
    pid: answer.pid,
    createdAtMs: Date.parse(answer.createdAt),
    startedAtMs: parseTime(answer.startedAt),
    lastOutputAtMs: parseTime(answer.lastOutputAt),
    ownerInstanceId: answer.owner.instanceId,
    ownerGeneration: answer.owner.generation,
    epoch: answer.owner.epoch,
    ownerLoss: answer.ownerLoss,
    leftovers: answer.leftoversPolicy,
    deadlines: {
      overallMs: answer.timeoutMs ?? undefined,
      noOutputMs: answer.noOutputTimeoutMs ?? undefined,
    },
    exit: answer.exit === null ? undefined : exitOf(runId, answer.exit),
    treeEndedAtMs: parseTime(answer.treeEndedAt),
    ...(answer.use === undefined ? {} : { use: useOf(answer.use) }),
  };
}

/* What is held has no label for its host yet. */
function labelsOf({ labels, host, cwd }: RunAnswer): RunAnswer['labels'] {
  if (host === localHost || labels[hostNameLabel] !== undefined) return labels;
  return { ...labels, [hostNameLabel]: host, [hostDirectoryLabel]: cwd };
}

export function detailsOf(answer: RunAnswer): RunDetails {
  return {
    lastOutputAtMs: parseTime(answer.lastOutputAt),
    outputBytes: answer.outputBytes ?? undefined,
    droppedBytes: answer.droppedBytes ?? 0,
    graceMs: answer.graceMs ?? undefined,
    limits: answer.limits ?? {},
    shimPid: answer.shimPid ?? undefined,
    names: answer.names ?? {},
  };
}

function useOf({
  at,
  outputBytes,
  diskBytes,
  isStopped = false,
  ...use
}: NonNullable<RunAnswer['use']>): NonNullable<Run['use']> {
  return {
    ...use,
    isStopped,
    atMs: Date.parse(at),
    outputBytes: outputBytes ?? undefined,
    diskBytes: diskBytes ?? undefined,
  };
}

/* An id goes into tables, hints and file names; anything else that a gateway may send does not. */
function parseRunId(text: string): RunId {
  if (/^[0-9a-z][0-9a-z-]{0,30}$/.test(text)) return text as RunId;
  throw new SdkError('answer-invalid', 'the gateway named a run by something that is no id');
}

export function exitOf(runId: RunId, exit: ExitAnswer): RunExit {
  return {
    runId,
    reason: exit.reason,
    code: exit.code ?? undefined,
    signal: exit.signal ?? undefined,
    coreDumped: exit.coreDumped,
    actor: exit.actor ?? undefined,
    detail: exit.detail ?? undefined,
    hostCause: exit.hostCause ?? undefined,
    startedAtMs: parseTime(exit.startedAt),
    endedAtMs: Date.parse(exit.endedAt),
    lastSeenAtMs: parseTime(exit.lastSeenAt),
    durationMs: exit.durationMs ?? undefined,
    usage:
      exit.usage === null
        ? undefined
        : {
            userUs: exit.usage.userMs * 1_000,
            systemUs: exit.usage.systemMs * 1_000,
            maxRssBytes: exit.usage.maxRssBytes,
            readBytes: exit.usage.readBytes,
            writeBytes: exit.usage.writeBytes,
          },
    killed: exit.killed,
    escapees: exit.escapees,
    leftovers: exit.leftovers.map(noteOf),
    survivors: exit.survivors.map(noteOf),
    undrainedBytes: exit.undrainedBytes,
    failure: exit.failure ?? undefined,
    cursor: exit.cursor as Cursor,
    treeEnd: exit.treeEnd ? treeEndOf(exit.treeEnd) : undefined,
  };
}

function treeEndOf({ endedAt, actor, ...rest }: NonNullable<ExitAnswer['treeEnd']>): TreeEnd {
  return { ...rest, endedAtMs: Date.parse(endedAt), actor: actor ?? undefined };
}

/* The end of a held run: it was asked for, taken back, and never started. */
export function takenBack({ runId }: Pick<Run, 'runId'>, atMs: number): RunExit {
  return {
    runId,
    reason: 'manual-cancel',
    code: undefined,
    signal: undefined,
    coreDumped: false,
    actor: undefined,
    detail: 'it was held and has not started',
    hostCause: undefined,
    startedAtMs: undefined,
    endedAtMs: atMs,
    lastSeenAtMs: undefined,
    durationMs: undefined,
    usage: undefined,
    killed: { pid: 0, pgid: 0, cgroup: 0 },
    escapees: 0,
    leftovers: [],
    survivors: [],
    undrainedBytes: 0,
    failure: undefined,
    cursor: '0.0' as Cursor,
    treeEnd: undefined,
  };
}

/* When it began is not told over HTTP, and nobody here asks. */
function noteOf({ pid, command }: { readonly pid: number; readonly command: string }): ProcessNote {
  return { pid, comm: command, startTicks: 0 };
}

function parseTime(text: string | null | undefined): number | undefined {
  return text === null || text === undefined ? undefined : Date.parse(text);
}
