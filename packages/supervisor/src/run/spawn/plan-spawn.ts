/*
 * From what a caller asked for to what the registry and the shim are told: checked, complete, pure.
 *
 * Nothing is inherited (S4): the environment is the caller's, plus the three names every run gets. A terminal's
 * command line goes to its shell verbatim and is never rebuilt from argv; an empty one is refused. Limits that need
 * a cgroup are refused when there is none (E4). Whatever is wrong is said before anything is written.
 */
import { isAbsolute, join } from 'node:path';
import type { OwnerIdentity, ResourceLimit, SpawnRequest } from '@clawdfather/shim';
import { SupervisorError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import { firstEpoch, type NewRun } from '../../registry/run-writes.ts';
import type { LimitPair, RunLimits, SpawnInput } from '../../spawn-input.ts';
import type { RunId } from '../../types.ts';
import { checkSpawnInput } from './check-spawn-input.ts';
import { commandLineOf } from './command-line.ts';
import { formatMeta } from '../records/run-meta.ts';

export interface SpawnContext {
  readonly runId: RunId;
  readonly runDir: string;
  /* Where the buckets of output rates are. */
  readonly ratesDir: string;
  readonly cookie: Uint8Array;
  readonly leaseId: string;
  readonly owner: OwnerIdentity;
  readonly nowMs: number;
  /* A delegated cgroup v2 directory, or none. */
  readonly cgroupParent: string | undefined;
  /* Of a run that names none. */
  readonly umask: number | undefined;
}

export interface SpawnPlan {
  readonly newRun: NewRun;
  readonly request: SpawnRequest;
}

/* Linux's numbers. */
const rlimitCpu = 0;
const rlimitFileSize = 1;
const rlimitOpenFiles = 7;
/* E3: the kernel's out-of-memory killer takes commands before shims and gateways. */
const oomScoreAdj = 500;

export function planSpawn(input: SpawnInput, context: SpawnContext): SpawnPlan {
  checkSpawnInput(input);
  const newRun = newRunOf(input, context);
  const { owner } = context;
  const request: SpawnRequest = {
    runDir: context.runDir,
    runId: context.runId,
    cookie: context.cookie,
    meta: formatMeta(newRun, {
      createdAtMs: context.nowMs,
      instanceId: owner.instance,
      uid: input.runAs?.uid,
      bounds: { graceMs: input.graceMs ?? limits.graceMs, limits: input.limits ?? {} },
    }),
    epoch: firstEpoch,
    owner,
    argv: argvOf(input),
    env: environmentOf(input, context),
    cwd: input.cwd,
    cwdId: input.cwdId,
    pty: terminalOf(input),
    stdin: input.mode === 'child' && input.stdin === 'closed' ? 'null' : 'open',
    umask: input.umask ?? context.umask,
    nice: input.nice,
    rlimits: rlimitsOf(input.limits ?? {}),
    user: input.runAs === undefined ? undefined : { groups: [], ...input.runAs },
    cgroup: cgroupOf(input.limits ?? {}, context),
    overallMs: input.overallTimeoutMs,
    noOutputMs: input.noOutputTimeoutMs,
    graceMs: input.graceMs ?? limits.graceMs,
    killMs: limits.killMs,
    startMs: limits.startMs,
    ownerLoss: newRun.ownerLoss,
    leaseMs: limits.leaseMs,
    leftovers: newRun.leftovers,
    journal: journalOf(input),
    oomScoreAdj,
    rate: rateOf(input, context),
    confine: input.confine,
    shield: input.shield,
  };
  return { newRun, request };
}

function newRunOf(input: SpawnInput, context: SpawnContext): NewRun {
  return {
    runId: context.runId,
    sessionId: input.sessionId,
    backendId: input.backendId,
    labels: input.labels ?? {},
    scopeKey: input.scopeKey,
    mode: input.mode,
    command: (input.shownAs ?? commandLineOf(input)).slice(0, limits.commandCharsMax),
    cwd: input.cwd,
    leaseId: context.leaseId,
    ownerLoss: input.ownerLoss ?? 'adopt',
    leftovers: input.leftovers ?? 'fail',
    deadlines: { overallMs: input.overallTimeoutMs, noOutputMs: input.noOutputTimeoutMs },
  };
}

function argvOf(input: SpawnInput): readonly [string, ...string[]] {
  return input.mode === 'pty' ? [input.shell ?? '/bin/sh', '-c', input.ptyCommand] : input.argv;
}

function environmentOf(input: SpawnInput, context: SpawnContext): Record<string, string> {
  const terminal = input.mode === 'child' ? {} : { TERM: 'xterm-256color' };
  return {
    ...terminal,
    ...input.env,
    CLAWDFATHER_RUN_ID: context.runId,
    CLAWDFATHER_LEASE_ID: context.leaseId,
    CLAWDFATHER_GATEWAY_INSTANCE_ID: context.owner.instance,
  };
}

function terminalOf(input: SpawnInput): SpawnRequest['pty'] {
  if (input.mode === 'child') return undefined;
  return { cols: input.cols ?? limits.terminalCols, rows: input.rows ?? limits.terminalRows };
}

function rlimitsOf(asked: RunLimits): readonly ResourceLimit[] {
  const limit = (resource: number, value: number | LimitPair | undefined): ResourceLimit[] => {
    if (value === undefined) return [];
    return [
      typeof value === 'number' ? { resource, soft: value, hard: value } : { resource, ...value },
    ];
  };
  return [
    ...limit(rlimitOpenFiles, asked.openFiles),
    ...limit(rlimitCpu, cpuPair(asked.cpuSeconds)),
    ...limit(rlimitFileSize, asked.fileBytes),
  ];
}

/* At the soft limit the kernel says SIGXCPU, which tells the cause; at the hard one SIGKILL, which tells nothing. */
function cpuPair(seconds: number | undefined): LimitPair | undefined {
  return seconds === undefined ? undefined : { soft: seconds, hard: seconds + 1 };
}

function cgroupOf(asked: RunLimits, context: SpawnContext): SpawnRequest['cgroup'] {
  const needsCgroup = asked.memoryBytes !== undefined || asked.processes !== undefined;
  if (context.cgroupParent === undefined) {
    if (!needsCgroup) return undefined;
    throw new SupervisorError(
      'limits-unsupported',
      'limits of memory and processes need a delegated cgroup',
      {
        hint: 'Run under a systemd user session with delegation, or leave these limits out; "clawdfather doctor" tells what is there.',
      },
    );
  }
  if (!isAbsolute(context.cgroupParent)) throw new TypeError('cgroupParent must be absolute');
  return {
    path: `${context.cgroupParent}/clawdfather-${context.runId}`,
    memoryBytesMax: asked.memoryBytes,
    processesMax: asked.processes,
  };
}

function rateOf({ outputRate }: SpawnInput, { ratesDir }: SpawnContext): SpawnRequest['rate'] {
  if (outputRate === undefined) return undefined;
  const { key, bytesPerSecond, burstBytes } = outputRate;
  return { file: join(ratesDir, key), bytesPerSecond, burstBytes };
}

function journalOf(input: SpawnInput): SpawnRequest['journal'] {
  const mode = input.journal?.mode ?? 'ring';
  const bytesMax = input.journal?.bytesMax ?? limits.journalBytesMax;
  /* At least four segments: a ring that drops a quarter at a time is still worth reading. */
  const segmentBytes = Math.min(limits.segmentBytes, Math.floor(bytesMax / 4));
  return { mode, bytesMax, segmentBytes };
}
