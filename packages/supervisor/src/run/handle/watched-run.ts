/*
 * A run of another owner, or one that has ended: looked at, commanded as an operator (O4), never owned.
 *
 * What its owner writes to the registry is the owner's business; here the shim's own news and the journal tell
 * when it is over. A shim that is gone without an end record leaves an honest unknown. It is followed only while
 * a call waits or reads: a handle that was dropped costs nothing.
 */
import { type Clock, type Deferred, deferred } from '@clawdfather/kit';
import type { JournalScan, RunEvent } from '@clawdfather/shim';
import { SupervisorError } from '../../errors.ts';
import type { ProcessTable } from '../../evidence/process-table.ts';
import type { Registry } from '../../registry/registry.ts';
import type { RunExit, TreeEnd } from '../../run-end.ts';
import type { RunRecord } from '../../types.ts';
import { type ControlLine, createControlLine } from '../shim-link/control-line.ts';
import { createEndingSignal, type EndingSignal } from '../wait/ending-signal.ts';
import { followShim } from '../shim-link/follow-shim.ts';
import { createKeepAlive, type KeepAlive } from '../wait/keep-alive.ts';
import type { CancelRequest, RunCore } from './managed-run.ts';
import { createNews, type News } from '../wait/news.ts';
import { sendAsOperator } from '../input/outbox.ts';
import { unlessOver } from '../shim-link/refusal.ts';
import { exitWithoutRecord, runExitOf, settlesWithRoot } from '../records/run-exit.ts';
import { formatShimDied } from '../records/shim-died.ts';
import { lastSeenOf, readCookie } from '../records/run-files.ts';
import { treeGone } from '../wait/tree-gone.ts';
import { writtenToOf } from '../records/written-to.ts';

export interface WatchDeps {
  readonly runDir: string;
  readonly clock: Clock;
  readonly processTable: ProcessTable;
  readonly actor: string;
  readonly signal: AbortSignal;
  readonly registry: Pick<Registry, 'get' | 'nextInput' | 'write'>;
  readonly reread: () => RunRecord | undefined;
  /* The last reconciliation could not tell whether it lives, or whose it is. */
  readonly isUnverifiable: () => boolean;
}

const noCookie = new Uint8Array(16);

export function watchRun(record: RunRecord, deps: WatchDeps): RunCore {
  const { runId, leftovers } = record;
  const { runDir, actor } = deps;
  const watched = new WatchedRun(record, deps);
  const { control, keepAlive, news, ending } = watched;
  return {
    runId,
    pid: () => deps.reread()?.pid ?? record.pid ?? 0,
    control,
    keepAlive,
    source: {
      runId,
      runDir,
      leftovers,
      news,
      isShimAlive: () => !watched.isShimGone,
      writtenTo: () => watched.writtenTo,
      inlined: () => watched.inlined,
      lostBecause: () => watched.lostBecause,
    },
    settled: watched.settled,
    ending,
    actor,
    cancel: (request) => cancelAsOperator(control, request, deps.isUnverifiable),
    treeGone: () =>
      treeGone({
        news,
        isShimGone: () => watched.isShimGone,
        lostBecause: () => watched.lostBecause,
        treeEnd: () => watched.treeEnd,
      }),
    writeDurably: undefined,
    writeAt: (bytes, offset) => sendAsOperator(deps.registry, { runId, control, bytes, offset }),
    snapshot: () => deps.reread() ?? record,
  };
}

class WatchedRun {
  readonly news: News = createNews();
  readonly ending: EndingSignal = createEndingSignal();
  readonly keepAlive: KeepAlive;
  readonly control: ControlLine;
  readonly #record: RunRecord;
  readonly #deps: WatchDeps;
  readonly #settled: Deferred<RunExit> = deferred();
  #following: AbortController | undefined;
  isShimGone: boolean;
  /* How long its journal is at least. */
  writtenTo: number;
  inlined: Buffer | undefined;
  lostBecause: Error | undefined;
  treeEnd: TreeEnd | undefined;

  constructor(record: RunRecord, deps: WatchDeps) {
    this.#record = record;
    this.#deps = deps;
    this.isShimGone = record.treeEndedAtMs !== undefined;
    this.writtenTo = writtenToOf(record);
    this.treeEnd = record.exit?.treeEnd;
    this.keepAlive = createKeepAlive({
      onFirst: () => this.#follow(),
      onLast: () => {
        this.#following?.abort();
        this.control.close();
      },
    });
    this.control = createControlLine({
      runDir: deps.runDir,
      cookie: () => readCookie(deps.runDir) ?? noCookie,
      clock: deps.clock,
      ownEpoch: () => undefined,
      isKept: () => this.keepAlive.isHeld,
    });
    /* If no caller waits, the rejection must not end the process. */
    this.settled.catch(() => undefined);
    if (record.exit !== undefined) this.#settle(record.exit);
  }

  get settled(): Promise<RunExit> {
    return this.#settled.promise;
  }

  #follow(): void {
    if (this.isShimGone) return;
    this.#following = new AbortController();
    const signal = AbortSignal.any([this.#following.signal, this.#deps.signal]);
    followShim({
      ...this.#deps,
      control: this.control,
      keepAlive: this.keepAlive,
      signal,
      onEvent: (event) => this.#hear(event),
      onGone: (scan) => this.#gone(scan),
    }).catch((error: unknown) => {
      const isAsked = signal.aborted && !this.#deps.signal.aborted;
      if (!isAsked) this.#lose(asError(error));
    });
  }

  #hear(event: RunEvent): void {
    const { runId, leftovers } = this.#record;
    if (event.type === 'terminating') this.ending.begin(event.reason);
    if ('journalLength' in event) this.writtenTo = event.journalLength;
    if (event.type === 'exit' && settlesWithRoot(leftovers, event.exit.reason)) {
      this.#settle(runExitOf(runId, { ...event, end: undefined }));
    }
    if (event.type === 'end') {
      this.isShimGone = event.end.isFinal;
      this.inlined = event.journal;
      const exit = runExitOf(runId, event);
      this.treeEnd = exit.treeEnd;
      this.#settle(exit);
    }
    this.news.post(event.type === 'doorbell' ? event : undefined);
  }

  #gone(scan: JournalScan | undefined): void {
    this.isShimGone = true;
    const known = this.#deps.reread()?.exit;
    this.#settle(known ?? withoutEnd(this.#record, scan, this.#deps.clock.wallMs()));
  }

  /* We are closing, or the shim is none we can speak to; either way nothing more is heard of it here. */
  #lose(error: Error): void {
    const isClosing = this.#deps.signal.aborted;
    this.lostBecause = isClosing
      ? new SupervisorError('supervisor-closed', 'the supervisor is closed')
      : error;
    this.#settled.reject(this.lostBecause);
    this.news.post();
  }

  #settle(exit: RunExit): void {
    this.ending.begin(exit.reason);
    this.#settled.resolve(exit);
    this.news.post();
  }
}

/* A run that has ended needs no cancel. A shim that is silent has not heard it, and the caller must know. */
async function cancelAsOperator(
  control: ControlLine,
  request: CancelRequest,
  isUnverifiable: () => boolean,
): Promise<void> {
  try {
    await control.request({ type: 'terminate', ...request });
  } catch (error) {
    unlessOver(error);
    /* A copied state directory has sockets on which nobody listens, of runs that live elsewhere (O5). */
    if (!isUnverifiable()) return;
    throw new SupervisorError(
      'shim-unreachable',
      'its shim is not there, and nothing proves that it has ended',
      { cause: error, hint: 'It was left alone; "clawdfather doctor" tells what was seen of it.' },
    );
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/* The root's exit stands even when nothing is known about the rest (T4). */
function withoutEnd(
  { runId, shimPid, startedAtMs }: RunRecord,
  scan: JournalScan | undefined,
  endedAtMs: number,
): RunExit {
  const isExitKnown = scan?.exit !== undefined;
  const detail =
    scan === undefined
      ? 'its shim and its directory are gone'
      : formatShimDied({ shimPid, ended: 0, isExitKnown });
  if (scan?.exit === undefined) {
    const lastSeenAtMs = lastSeenOf(scan) ?? startedAtMs;
    return exitWithoutRecord(runId, 'unknown', { endedAtMs, lastSeenAtMs, detail, startedAtMs });
  }
  const known = { exit: scan.exit, end: undefined, journalLength: scan.endOffset };
  return { ...runExitOf(runId, known), detail };
}
