/*
 * A run of another owner, or one that has ended: looked at, commanded as an operator (O4), never owned.
 *
 * What its owner writes to the registry is the owner's business; here the shim's own news and the journal tell
 * when it is over. A shim that is gone without an end record leaves an honest unknown.
 */
import { type Clock, deferred } from '@clawdfather/kit';
import type { JournalScan, RunEvent } from '@clawdfather/shim';
import type { ProcessTable } from '../evidence/process-table.ts';
import type { CancelReason, RunExit, RunRecord } from '../types.ts';
import { type ControlLine, createControlLine, isShimGoneError } from './control-line.ts';
import { createEndingSignal } from './ending-signal.ts';
import { followShim } from './follow-shim.ts';
import { createKeepAlive } from './keep-alive.ts';
import type { RunCore } from './managed-run.ts';
import { createNews } from './news.ts';
import { exitWithoutRecord, runExitOf } from './run-exit.ts';
import { readCookie } from './run-files.ts';

export interface WatchDeps {
  readonly runDir: string;
  readonly bootId: string;
  readonly clock: Clock;
  readonly processTable: ProcessTable;
  readonly actor: string;
  readonly signal: AbortSignal;
  readonly reread: () => RunRecord | undefined;
}

const noCookie = new Uint8Array(16);

export function watchRun(record: RunRecord, deps: WatchDeps): RunCore {
  const { runId, leftovers } = record;
  const news = createNews();
  const ending = createEndingSignal();
  const keepAlive = createKeepAlive();
  const settled = deferred<RunExit>();
  settled.promise.catch(() => undefined);
  let isSettled = false;
  let isShimGone = false;
  let inlined: Buffer | undefined;

  const control = createControlLine({
    runDir: deps.runDir,
    cookie: () => readCookie(deps.runDir) ?? noCookie,
    clock: deps.clock,
    ownEpoch: () => undefined,
  });

  const settle = (exit: RunExit): void => {
    isSettled = true;
    ending.begin(exit.reason);
    settled.resolve(exit);
    news.post();
  };
  const hear = (event: RunEvent): void => {
    if (event.type === 'terminating') ending.begin(event.reason);
    if (event.type === 'exit' && leftovers === 'keep') {
      settle(runExitOf(runId, { ...event, end: undefined }));
    }
    if (event.type === 'end') {
      isShimGone = event.end.isFinal;
      inlined = event.journal;
      settle(runExitOf(runId, event));
    }
    news.post();
  };
  const gone = (scan: JournalScan | undefined): void => {
    isShimGone = true;
    const known = deps.reread()?.exit;
    const detail = 'its shim is gone and left no end record';
    settle(known ?? withoutEnd(runId, scan, { endedAtMs: deps.clock.wallMs(), detail }));
  };

  if (record.exit !== undefined) settle(record.exit);
  if (record.treeEndedAtMs !== undefined) isShimGone = true;
  else {
    const follow = { ...deps, control, keepAlive, onEvent: hear, onGone: gone };
    followShim(follow).catch((error: unknown) => settled.reject(asError(error)));
  }

  return {
    runId,
    pid: () => deps.reread()?.pid ?? record.pid ?? 0,
    control,
    keepAlive,
    source: {
      runDir: deps.runDir,
      bootId: deps.bootId,
      leftovers,
      news,
      isShimAlive: () => !isShimGone,
      inlined: () => inlined,
    },
    settled: settled.promise,
    ending,
    isSettled: () => isSettled,
    actor: deps.actor,
    cancel: (reason, actor) => cancelAsOperator(control, reason, actor ?? deps.actor),
    writeDurably: undefined,
    snapshot: () => deps.reread() ?? record,
  };
}

async function cancelAsOperator(
  control: ControlLine,
  reason: CancelReason,
  actor: string,
): Promise<void> {
  try {
    await control.request({ type: 'terminate', reason, actor });
  } catch (error) {
    if (!isShimGoneError(error)) throw error; /* it has ended: nothing to cancel */
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/* The root's exit stands even when nothing is known about the rest (T4). */
function withoutEnd(
  runId: RunRecord['runId'],
  scan: JournalScan | undefined,
  rest: { readonly endedAtMs: number; readonly detail: string },
): RunExit {
  if (scan?.exit === undefined) return exitWithoutRecord(runId, 'unknown', rest);
  const known = { exit: scan.exit, end: undefined, journalLength: scan.endOffset };
  return { ...runExitOf(runId, known), detail: rest.detail };
}
