/*
 * Whether a process is inside of a shielded run.
 *
 * What a run starts stays below its shim, however often it forks, and the shim's record says whether it has a shield. A process
 * that can still gain privileges was never in one. A shim that this registry does not know may be one that a shielded command
 * started itself, over a state directory of its own; so what is below it counts as shielded.
 */
import { readFileSync } from 'node:fs';
import type { RunId } from '@clawdfather/supervisor';
import { startTicksOf } from '@clawdfather/supervisor/alive';
import { shieldLabel } from '@clawdfather/supervisor/origins';
import type { SeenProcess, SeenProcesses } from './seen-processes.ts';

export interface RunAround {
  /* Undefined: of a run that is not known here. */
  readonly runId: RunId | undefined;
  /* What is above it cannot be seen, so it is only not known to be outside. */
  readonly isGuess: boolean;
}

export interface ShimRun {
  readonly runId: RunId;
  readonly labels: Readonly<Record<string, string>>;
}

export type FindRun = (shim: {
  readonly pid: number;
  readonly startTicks: number;
}) => ShimRun | undefined;

const shimNames = new Set(['clf-shim', 'clawdfather-shi']);
const spawndName = 'clf-spawnd';
/* Deeper trees are loops of a table that changed while it was read. */
const depthMax = 1_024;

/* Undefined: it is in no shield. */
export function shieldedRunAround(
  process: SeenProcess,
  seen: SeenProcesses,
  findRun: FindRun,
): RunAround | undefined {
  if (!process.gainsNothing) return undefined;
  let current = process;
  for (let depth = 0; depth < depthMax && current.parentPid > 0; depth += 1) {
    const parent = seen.get(current.parentPid);
    if (parent === undefined) return { runId: undefined, isGuess: true };
    if (shimNames.has(parent.name)) {
      const run = shieldedRunOf(parent.pid, findRun);
      if (run !== undefined) return run;
    } else if (parent.name === spawndName && !shimNames.has(current.name)) {
      // Left over by a shim that was killed, of a run that cannot be told any more.
      return { runId: undefined, isGuess: false };
    }
    current = parent;
  }
  return undefined;
}

/* A run may be one process that forks and ends again and again, and is missed; its shim stays. */
export function isShimOfShielded({ name, pid }: SeenProcess, findRun: FindRun): boolean {
  return shimNames.has(name) && shieldedRunOf(pid, findRun) !== undefined;
}

function shieldedRunOf(shimPid: number, findRun: FindRun): RunAround | undefined {
  const startTicks = startTicksOf(shimPid);
  const run = startTicks === undefined ? undefined : findRun({ pid: shimPid, startTicks });
  const isOutside = run !== undefined && run.labels[shieldLabel] === undefined;
  return isOutside ? undefined : { runId: run?.runId, isGuess: false };
}

/* What the process says itself: for people, never for a decision. */
export function claimedRunId(pid: number): RunId | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    const claimed = /(?:^|\0)CLAWDFATHER_RUN_ID=([\w-]{1,64})\0/.exec(environment)?.[1];
    return claimed as RunId | undefined;
  } catch {
    return undefined;
  }
}
